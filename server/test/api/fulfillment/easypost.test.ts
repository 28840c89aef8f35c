import type { Order } from "@pestle/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { noCarrier } from "../../../src/adapters/carriers/carriers.ts";
import { manualCarrier } from "../../../src/adapters/carriers/manual/manual-carrier.ts";
import { printOrder } from "../../../src/usecases/fulfillment/parcels/print-order.ts";
import { settlePostage } from "../../../src/usecases/fulfillment/parcels/settle-postage.ts";
import { voidUnusedLabels } from "../../../src/usecases/fulfillment/parcels/void-labels.ts";
import { readOrderPage } from "../../../src/usecases/fulfillment/read-order-page.ts";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import { cancelWithReason } from "../../../src/usecases/fulfillment/steps.ts";
import { trackByHand, trackShipments } from "../../../src/usecases/fulfillment/track-shipments.ts";
import { newOrder, type OrderBody, placed, post } from "../../support/orders.ts";
import { goodAddress } from "../../support/patient.ts";
import { onePagePdf } from "../../support/samples/labels.ts";
import { type EasyPostStandIn, startEasyPost } from "../../support/stand-ins/easypost.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";
import { staff, workplace } from "../../support/workplace.ts";

const PRODUCTION = 2;
const BUY = "POST /v2/shipments/:id/buy";
const HOUR_MS = 3600_000;
let service: EasyPostStandIn;
let app: TestApp;
let shop: ReturnType<typeof workplace>;
beforeAll(async () => {
  service = await startEasyPost({ webhook_secret: "s3cret" });
  app = await startTestApp({
    unlimited: true,
    env: {
      CARRIER: "easypost",
      ADDRESSES: "easypost",
      EASYPOST_API_KEY: service.key,
      EASYPOST_WEBHOOK_SECRET: service.webhook_secret,
      EASYPOST_API_BASE: service.base_url,
    },
  });
  shop = workplace(app, PRODUCTION);
});
afterAll(async () => {
  await app.stop();
  await service.close();
});
beforeEach(() => {
  service.calls.length = 0;
});

const ordered = async (changes: Partial<OrderBody> = {}): Promise<Order> => {
  const { body } = await newOrder(app, { partner: PRODUCTION });
  const address = { ...goodAddress, street1: "2210 Mission St" };
  return placed(app, { ...body, address, ...changes }, { partner: PRODUCTION });
};
const packed = async (changes: Partial<OrderBody> = {}) => shop.reach(await ordered(changes), "Filling/pack");
const print = (order: Order) => printOrder(app.deps, shop.work(order, staff.technician));
const ship = (order: Order) => shipOrder(app.deps, shop.work(order, staff.technician));
const boughtFor = ({ order_number }: Order) =>
  service.bought().filter(({ reference }) => reference?.startsWith(order_number));
const postage = ({ order_number }: Order) =>
  shop.rows(
    "select state, tracking_no, service, rate_cents, paid_cents from postage where order_number = $1 order by postage_id",
    order_number,
  );
const page = ({ order_number }: Order) => readOrderPage(app.deps, staff.technician, shop.account_id, order_number);
const deliver = (body: string, headers: Record<string, string>) =>
  fetch(`${app.addresses.base_url}/providers/easypost/webhook`, { method: "POST", body, headers });
/** The service some hours later. Moving its clock would end the tokens. */
const inHours = (hours: number): TestApp["deps"] => ({
  ...app.deps,
  now: () => new Date(Date.now() + hours * HOUR_MS),
});
const state = async (order: Order) => (await shop.load(order)).standing.state;

describe("a production order with EasyPost", () => {
  test("is labeled, shipped and tracked to Delivered by EasyPost's webhooks", async () => {
    service.own.surcharge_cents = 75;
    const order = await packed();
    await print(order);
    service.own.surcharge_cents = 0;
    const [shipment] = boughtFor(order);
    expect(shipment).toMatchObject({
      to_address: { street1: "2210 Mission St", country: "US" },
      parcel: { length: 9, width: 6, height: 3, weight: 8 },
      options: { label_format: "PDF" },
    });
    const tracking_no = shipment!.bought!.tracker.tracking_code;
    expect(await postage(order)).toEqual([
      { state: "bought", tracking_no, service: "GroundAdvantage", rate_cents: 593, paid_cents: 668 },
    ]);
    const shipped = await ship(order);
    expect(boughtFor(order)).toHaveLength(1);
    expect(shipped.shipments[0]).toMatchObject({ tracking_no, status: "label_created" });
    const later = (hours: number) => new Date(app.deps.now().getTime() + hours * HOUR_MS);
    service.scan(tracking_no, "in_transit", later(1));
    const first = service.event(tracking_no);
    service.scan(tracking_no, "out_for_delivery", later(2));
    service.scan(tracking_no, "delivered", later(3));
    const last = service.event(tracking_no);
    expect((await deliver(first.body, first.headers)).status).toBe(200);
    expect((await shop.load(order)).order.shipments[0]!.status).toBe("in_transit");
    expect((await deliver(last.body, last.headers)).status).toBe(200);
    expect(await state(order)).toBe("Delivered");
    // Replayed and out of order, they change nothing.
    for (const { body, headers } of [first, last]) expect((await deliver(body, headers)).status).toBe(200);
    expect(await state(order)).toBe("Delivered");
    const scans = (await page(order)).shipments[0]!.scans.map(({ status }) => status);
    expect(scans.toSorted()).toEqual(["delivered", "in_transit", "label_created", "out_for_delivery"]);
    // The carrier measured the parcel, and corrects its own correction. Each invoice counts once.
    const corrections = [
      service.invoice(tracking_no, { id: "inv_1", amount: "1.60000", reason: "Weight" }),
      service.invoice(tracking_no, { id: "inv_2", amount: "-0.40", reason: "Zone and more" }),
      service.invoice(tracking_no, {
        ...{ id: "inv_1", amount: "1.10", reason: "Dimensions", description: "shipment.invoice.updated" },
      }),
      service.invoice("9400100000000000000000", { id: "inv_3", amount: "9.00", reason: "Weight" }),
      service.invoice(tracking_no, { id: "inv_4", amount: "a lot", reason: "Weight" }),
    ];
    for (const { body, headers } of corrections) expect((await deliver(body, headers)).status).toBe(200);
    const unsigned = { "x-hmac-signature": "hmac-sha256-hex=0" };
    expect((await deliver(corrections[0]!.body, unsigned)).status).toBe(401);
    const { postage: costs } = await readOrderPage(app.deps, staff.lead, shop.account_id, order.order_number);
    expect(costs).toMatchObject([{ state: "bought", carrier: "USPS", rate_cents: 593, paid_cents: 668 }]);
    const adjusted = costs![0]!.adjustments.map(({ amount_cents, reason }) => [amount_cents, reason]);
    expect(adjusted.toSorted()).toEqual([
      [-40, "distance"],
      [110, "size"],
    ]);
    expect((await page(order)).postage).toBeNull();
  });

  test("is tracked by polling if no webhook comes", async () => {
    await webPerson(app, "lead");
    const order = await shop.reach(await ordered(), "Shipped");
    const { tracking_no } = order.shipments[0]!;
    service.scan(tracking_no, "return_to_sender", new Date(app.deps.now().getTime() + HOUR_MS));
    await app.deps.db.raw("update shipment set next_scan_at = now() - interval '1 minute' where order_number = $1", [
      order.order_number,
    ]);
    await trackShipments(app.deps, shop.account_id);
    expect((await shop.load(order)).order.shipments[0]!.status).toBe("returned");
    expect(
      await shop.rows("select kind, caused_by from notification where order_number = $1 limit 1", order.order_number),
    ).toEqual([{ kind: "parcel", caused_by: null }]);
  });

  test("a webhook with a bad signature is refused, and one about an unknown parcel is accepted and counted", async () => {
    const { body, headers } = service.event("9400100000000000000000");
    expect((await deliver(body, headers)).status).toBe(200);
    expect((await deliver(body, { ...headers, "x-hmac-signature": "hmac-sha256-hex=00" })).status).toBe(401);
    const { "x-hmac-signature": _, ...unsigned } = headers;
    expect((await deliver(body, unsigned)).status).toBe(401);
    const garbage = "not json";
    expect((await deliver(garbage, { ...headers, "x-hmac-signature": service.sign(garbage) })).status).toBe(200);
    expect(await app.deps.metrics.text()).toMatch(
      /pestle_provider_events_total\{provider="easypost",outcome="unknown"\} [1-9]/,
    );
  });

  test("a lost answer to the purchase buys no second label", async () => {
    const order = await packed();
    service.fail(BUY, "lose_answer");
    await print(order);
    expect(boughtFor(order)).toHaveLength(1);
    // The purchase and every look at it get no answer: the person tries again later, and gets the same label.
    const other = await packed();
    service.fail(BUY, "lose_answer");
    service.fail("GET /v2/shipments/:id", 500, 3);
    await expect(print(other)).rejects.toMatchObject({ key: "carrier_unavailable" });
    expect(boughtFor(other)).toHaveLength(1);
    await print(other);
    expect(boughtFor(other)).toHaveLength(1);
  });

  test("two people who print at once share one label", async () => {
    const order = await packed();
    await Promise.all([print(order), print(order)]);
    expect(boughtFor(order)).toHaveLength(1);
  });

  test("an unused label is refunded: after a cancellation, and if nobody noticed the purchase", async () => {
    const order = await packed();
    await print(order);
    await cancelWithReason(app.deps, shop.work(order, staff.admin), "The partner asked for it.");
    await voidUnusedLabels(app.deps);
    await settlePostage(app.deps);
    expect(boughtFor(order)[0]!.refund_status).toBe("submitted");
    expect(await postage(order)).toMatchObject([{ state: "refunding" }]);
    boughtFor(order)[0]!.refund_status = "refunded";
    await settlePostage(inHours(13));
    expect(await postage(order)).toMatchObject([{ state: "refunded" }]);
    // The process ends between the purchase and the next statement, and the order is canceled.
    const lost = await packed();
    service.fail(BUY, "lose_answer");
    service.fail("GET /v2/shipments/:id", 500, 3);
    await expect(print(lost)).rejects.toMatchObject({ key: "carrier_unavailable" });
    await cancelWithReason(app.deps, shop.work(lost, staff.admin), "The partner asked for it.");
    await settlePostage(inHours(2));
    expect(boughtFor(lost)[0]!.refund_status).toBe("submitted");
  });

  test("an interrupted label for an old address is not used for the new one", async () => {
    const order = await packed();
    service.fail(BUY, "lose_answer");
    service.fail("GET /v2/shipments/:id", 500, 3);
    await expect(print(order)).rejects.toMatchObject({ key: "carrier_unavailable" });
    const path = `/orders/${order.order_number}/shipping_address`;
    const moved = { ...goodAddress, street1: "900 Folsom St" };
    expect((await app.call(path, { method: "PUT", partner: PRODUCTION, ...jsonBody(moved) })).status).toBe(200);
    await print(order);
    const [old, fresh] = boughtFor(order);
    expect(fresh!.to_address["street1"]).toBe("900 Folsom St");
    await settlePostage(inHours(2));
    expect([old!.refund_status, fresh!.refund_status]).toEqual(["submitted", null]);
  });

  test("stays at its stage with a sentence if EasyPost refuses: key, balance, rate, service", async () => {
    const order = await packed();
    const says = async (part: string) => {
      await expect(print(order)).rejects.toMatchObject({
        key: "label_refused",
        message: expect.stringContaining(part),
      });
      expect(await state(order)).toBe("Filling/pack");
    };
    service.own.accepts_key = "EZAKrevoked";
    await says("EASYPOST_API_KEY");
    service.own.accepts_key = service.key;
    service.own.balance = false;
    await says("balance");
    service.own.balance = true;
    const [ground] = service.rates.splice(2, 1);
    await says("USPS GroundAdvantage");
    service.rates.splice(2, 0, ground!);
    await print(order);
    expect(boughtFor(order)).toHaveLength(1);
    const unmapped = await packed({ shipping: { method_id: 2 } });
    await expect(print(unmapped)).rejects.toMatchObject({ message: expect.stringContaining("Economy Parcel") });
    await app.deps.db.raw(
      "insert into shipping_service (account_id, method_id, carrier, service, weight_oz) values ($1, 2, 'UPS', 'Ground', 12)",
      [shop.account_id],
    );
    await print(unmapped);
    expect(boughtFor(unmapped)[0]).toMatchObject({ parcel: { weight: 12 } });
  });
});

describe("addresses that EasyPost verifies", () => {
  const sent = async (street1: string, verdict?: Parameters<EasyPostStandIn["addresses"]["set"]>[1]) => {
    if (verdict !== undefined) service.addresses.set(street1, verdict);
    const { body } = await newOrder(app, { partner: PRODUCTION });
    return post(app, { ...body, address: { ...goodAddress, street1 } }, { partner: PRODUCTION });
  };

  test("a corrected address is suggested, an unknown one and one without its unit are refused", async () => {
    const corrected = await sent("2211 Misson St", { corrected: { street1: "2211 Mission St" } });
    expect(corrected.status).toBe(422);
    expect(corrected.text).toContain("2211 MISSION ST");
    const unknown = await sent("1 Nowhere Rd", { code: "E.ADDRESS.NOT_FOUND", message: "Address not found" });
    expect([unknown.status, unknown.text.includes("not known")]).toEqual([422, true]);
    const unit = await sent("2212 Mission St", { code: "E.SECONDARY_INFORMATION.MISSING", message: "Missing" });
    expect([unit.status, unit.text.includes("no unit is given")]).toEqual([422, true]);
  });

  test("an address on file is verified after the order is saved, and holds it: 77 and 78", async () => {
    const held = async (street1: string, code: string) => {
      service.addresses.set(street1, { code, message: "" });
      const place = { street1, street2: null, city: "San Francisco", state: "CA", zip: "94110" };
      const { body } = await newOrder(app, { partner: PRODUCTION, patient: { address: place } as never });
      return placed(app, body, { partner: PRODUCTION });
    };
    const unknown = await held("3301 Mission St", "E.ADDRESS.NOT_FOUND");
    expect(unknown.exceptions.map(({ id }) => id)).toContain(77);
    const unit = await held("3302 Mission St", "E.SECONDARY_INFORMATION.MISSING");
    expect(unit.exceptions.map(({ id }) => id)).toContain(78);
  });

  test("an outage falls back to the tables and is written on the order's timeline", async () => {
    service.fail("POST /v2/addresses", 500);
    const { status, body } = await sent("2213 Mission St");
    expect(status).toBe(201);
    const { timeline } = await page(body as Order);
    expect(timeline.some((entry) => entry.kind === "note" && entry.reason.includes("did not answer"))).toBe(true);
  });
});

describe("a production order without a carrier service", () => {
  const USPS = "9400111899223197428497";
  const served = (carrier: "manual" | "none" | null): TestApp["deps"] => ({
    ...app.deps,
    providers: { ...app.deps.providers, carrier },
    carriers: { ...app.deps.carriers, production: carrier === "manual" ? manualCarrier : noCarrier },
  });

  test("manual: staff enter the number of their own label, and Pestle invents no scan", async () => {
    const deps = served("manual");
    const order = await packed();
    const work = shop.work(order, staff.technician);
    await expect(printOrder(deps, work)).rejects.toMatchObject({ key: "tracking_needed" });
    for (const tracking_no of ["9400111899223197428498", "12", "1Z999AA10123456784"]) {
      await expect(printOrder(deps, work, { tracking_no })).rejects.toMatchObject({ key: "tracking_wrong" });
    }
    const label = { format: "PDF" as const, data: Buffer.from(onePagePdf).toString("base64") };
    await printOrder(deps, work, { tracking_no: "9400 1118 9922 3197 4284 97", label });
    const { label_from, parcel } = await readOrderPage(deps, staff.technician, shop.account_id, order.order_number);
    expect([label_from, parcel?.tracking_no]).toEqual(["staff", USPS]);
    const shipped = await shipOrder(deps, work, { printed: true });
    expect(shipped.shipments[0]).toMatchObject({ tracking_no: USPS, status: "label_created" });
    expect(await shop.rows("select next_scan_at from shipment where order_number = $1", order.order_number)).toEqual([
      { next_scan_at: null },
    ]);
    await trackByHand(deps, work, "delivered", "Left at the door.");
    expect(await state(order)).toBe("Delivered");
    const other = shop.work(await packed(), staff.technician);
    await expect(printOrder(deps, other, { tracking_no: USPS })).rejects.toMatchObject({ key: "tracking_used" });
    await expect(printOrder(app.deps, other, { tracking_no: USPS })).rejects.toMatchObject({ key: "not_manual" });
    expect(service.calls).not.toContain("POST /v2/shipments");
  });

  test("none: the order stays at packing, and its page says which setting to set", async () => {
    const order = await packed();
    for (const [carrier, key] of [
      ["none", "partner_labels_only"],
      [null, "no_carrier"],
    ] as const) {
      const deps = served(carrier);
      await expect(printOrder(deps, shop.work(order, staff.technician))).rejects.toMatchObject({ key });
      const { label_from, cannot } = await readOrderPage(deps, staff.technician, shop.account_id, order.order_number);
      expect(label_from).toBe("nobody");
      expect(cannot.find(({ event }) => event === "print")).toMatchObject({
        key,
        message: expect.stringContaining("CARRIER"),
      });
    }
    expect(await state(order)).toBe("Filling/pack");
  });
});

const jsonBody = (body: unknown) => ({
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});
