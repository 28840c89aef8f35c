import { type Order, type ShipmentStatus, webhookBodies } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Carriers } from "../../../src/adapters/carriers.ts";
import { scansOf as tableOf } from "../../../src/adapters/parcel-stories.ts";
import { loadShipmentLabel, shipmentLabelPlace } from "../../../src/db/fulfillment/shipments.ts";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import { parcelOf, trackByHand, trackShipments } from "../../../src/usecases/fulfillment/track-shipments.ts";
import { moveClock } from "../../../src/usecases/sandbox/simulate-clock.ts";
import { readOrder } from "../../support/actions.ts";
import { useCardProvider } from "../../support/card-provider.ts";
import { newOrder, type OrderBody, placed, post } from "../../support/orders.ts";
import { goodAddress } from "../../support/patient.ts";
import { onePagePdf, onePixelPng } from "../../support/samples/labels.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { staff, workplace } from "../../support/workplace.ts";

let app: TestApp;
let shop: ReturnType<typeof workplace>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
});
afterAll(() => app.stop());

const { technician } = staff;
const ordered = async (changes: Partial<OrderBody> = {}) => placed(app, { ...(await newOrder(app)).body, ...changes });
const sentTo = async (street1: string) => {
  const address = { ...goodAddress, street1, ignore_warnings: true };
  return shop.reach(await ordered({ address }), "Shipped");
};
const storyOf = async (order: Order) => tableOf(parcelOf(await shop.load(order), order.shipments[0]!));
/** Moves the account's clock to a time and polls the carrier for news. */
async function clockTo(at: Date, order: Order): Promise<void> {
  const { rules } = await shop.load(order);
  const seconds = Math.ceil((at.getTime() - rules.now.getTime()) / 1000);
  if (seconds > 0) await app.deps.db.transaction((tx) => moveClock(tx, shop.account_id, seconds, app.deps.now()));
  await trackShipments(app.deps, shop.account_id);
}
const scansKept = async ({ order_number }: Order) =>
  (await shop.rows(
    "select status, at, description from shipment_scan where order_number = $1 order by at",
    order_number,
  )) as {
    status: ShipmentStatus;
    at: Date;
    description: string;
  }[];
const nextLook = async ({ order_number }: Order) =>
  (await shop.rows("select next_scan_at from shipment where order_number = $1", order_number))[0]!["next_scan_at"];

const stories: Record<string, { street1: string; end: ShipmentStatus; statuses: ShipmentStatus[] }> = {
  delivered: {
    street1: "2210 Mission St",
    end: "delivered",
    statuses: ["label_created", "in_transit", "out_for_delivery", "delivered"],
  },
  "delivered at the second try": {
    street1: "101 Mission St",
    end: "delivered",
    statuses: ["label_created", "in_transit", "out_for_delivery", "exception", "out_for_delivery", "delivered"],
  },
  lost: { street1: "102 Mission St", end: "lost", statuses: ["label_created", "in_transit", "lost"] },
  returned: {
    street1: "106 Mission St",
    end: "returned",
    statuses: ["label_created", "in_transit", "out_for_delivery", "exception", "returned"],
  },
};

async function expectTold(order: Order, { end, statuses }: (typeof stories)[string]): Promise<void> {
  const story = await storyOf(order);
  // Every scan is stored. Those that change the parcel's status send an event, once and with the time of the scan.
  expect((await scansKept(order)).map(({ status, at }) => [status, at])).toEqual(
    story.map(({ status, at }) => [status, at]),
  );
  const told = (await shop.events(order))
    .filter(({ event_type }) => event_type === "SHIPMENT_UPDATED")
    .sort((a, b) => Number(a["sequence"]) - Number(b["sequence"]));
  for (const event of told) expect(misfits(webhookBodies.SHIPMENT_UPDATED, event)).toEqual([]);
  const shown = told.map(
    (event) => (event["medication_requests"] as Order["medication_requests"])[0]!.medication_dispenses[0]!.shipment!,
  );
  expect(shown.map(({ status }) => status)).toEqual(statuses);
  const changes = story.filter(({ status }, index) => status !== story[index - 1]?.status);
  expect(told.map(({ timestamp }) => timestamp)).toEqual(changes.map(({ at }) => Math.floor(at.getTime() / 1000)));
  expect((await shop.history(order)).slice(-statuses.length).map(({ actor, event }) => `${actor} ${event}`)).toEqual([
    "technician ship",
    ...statuses.slice(1).map((status) => `carrier ${status === "delivered" ? "deliver" : "track"}`),
  ]);
  const now_is = await readOrder(app, order.order_number);
  expect(now_is.order_status).toBe(end === "delivered" ? "Delivered" : "Shipped");
  const last = story.at(-1)!;
  expect(now_is.shipments).toMatchObject([
    { status: end, delivered_at: end === "delivered" ? last.at.toISOString() : null },
  ]);
  expect(await nextLook(order)).toBe(null);
}

describe("a parcel's history", () => {
  for (const [name, story] of Object.entries(stories)) {
    test(`is reported scan by scan: ${name}`, async () => {
      const order = await sentTo(story.street1);
      for (const { at, status } of await storyOf(order)) {
        await clockTo(at, order);
        expect((await readOrder(app, order.order_number)).shipments[0]!.status).toBe(status);
      }
      await expectTold(order, story);
    });

    test(`is the same after a long time without polling: ${name}`, async () => {
      const order = await sentTo(story.street1);
      await clockTo((await storyOf(order)).at(-1)!.at, order);
      await expectTold(order, story);
    });
  }

  test("is reported once, however many processes poll at once", async () => {
    const order = await sentTo("2210 Mission St");
    const end = (await storyOf(order)).at(-1)!.at;
    const { rules } = await shop.load(order);
    const seconds = Math.ceil((end.getTime() - rules.now.getTime()) / 1000);
    await app.deps.db.transaction((tx) => moveClock(tx, shop.account_id, seconds, app.deps.now()));
    await Promise.all(Array.from({ length: 10 }, () => trackShipments(app.deps, shop.account_id)));
    await trackShipments(app.deps, shop.account_id);
    await expectTold(order, stories["delivered"]!);
  });

  for (const name of ["lost", "returned"] as const) {
    test(`that ends badly allows a refund and a new order: ${name}`, async () => {
      const order = await sentTo(stories[name]!.street1);
      await clockTo((await storyOf(order)).at(-1)!.at, order);
      const reason_id = name === "lost" ? 102 : 106;
      const { order: refunded } = await shop.act(order, { event: "refund", reason_id });
      expect(refunded).toMatchObject({
        order_status: "Shipped",
        payment: { status: "refunded", refunded_cents: order.payment.amount_cents },
      });
      const again = await post(app, {}, { path: `/orders/${order.order_number}/reorders` });
      expect([again.status, again.body.order_status, again.body.exceptions]).toEqual([201, "Processing", []]);
    });
  }

  test("can be entered by a person, who takes precedence over a carrier that still reports the parcel in transit", async () => {
    const order = await sentTo("2210 Mission St");
    await trackByHand(app.deps, shop.work(order, technician), "lost", "The truck burnt.");
    expect(await nextLook(order)).toBe(null);
    await clockTo((await storyOf(order)).at(-1)!.at, order);
    expect((await readOrder(app, order.order_number)).shipments[0]!.status).toBe("lost");
    // And found again.
    const found = await trackByHand(app.deps, shop.work(order, technician), "delivered", "It was in the other truck.");
    expect([found.order_status, found.shipments[0]!.status]).toEqual(["Delivered", "delivered"]);
  });
});

test("a late scan of the carrier is stored, and does not undo newer ones", async () => {
  const order = await sentTo("2210 Mission St");
  const story = await storyOf(order);
  const sort = story.find(({ status }) => status === "in_transit")!;
  await app.deps.db.transaction((tx) => moveClock(tx, shop.account_id, 86_400, app.deps.now()));
  await trackByHand(app.deps, shop.work(order, technician), "out_for_delivery", "The driver called.");
  await trackShipments(app.deps, shop.account_id);
  expect((await readOrder(app, order.order_number)).shipments[0]!.status).toBe("out_for_delivery");
  expect((await scansKept(order)).map(({ at }) => at)).toContainEqual(sort.at);
});

describe("the label of a parcel", () => {
  const latin1 = (text: string) => Buffer.from(text, "latin1");
  const labels = {
    PDF: latin1(onePagePdf),
    PNG: Buffer.from(onePixelPng, "base64"),
    ZPL: latin1("^XA\n^FO20,20\n^FDparcel\n^FS\n^XZ\n"),
  };
  const kept = async ({ order_number }: Order) => {
    const { shipment_id, label_format, label_sealed } = (await loadShipmentLabel(
      app.deps.db,
      shop.account_id,
      order_number,
    ))!;
    const place = shipmentLabelPlace(shop.account_id, order_number, shipment_id);
    return { format: label_format, data: app.deps.vault.open(label_sealed, place) };
  };
  /** A carrier that must not be called. */
  const nobody: Carriers = {
    ...({} as Carriers),
    createLabel: () => Promise.reject(new Error("a label was made")),
    nextLookAt: () => null,
  };

  for (const [format, data] of Object.entries(labels)) {
    test(`is a clean copy of the partner's own, if it sent one: ${format}`, async () => {
      const label = { format, data: data.toString("base64"), carrier: "UPS", tracking_no: "1Z999AA10123456784" };
      const order = await ordered({ shipping: { method_id: 1, label } });
      await shop.reach(order, "Filling/pack");
      const shipped = await shipOrder(
        { ...app.deps, carriers: { ...app.deps.carriers, sandbox: nobody } },
        shop.work(order, technician),
      );
      expect(shipped.shipments).toMatchObject([
        { tracking_no: "1Z999AA10123456784", carrier: "UPS", tracking_url: null, status: "label_created" },
      ]);
      // Once for the order and once for the shipment.
      const clean = (bytes: Buffer) => app.deps.documents.cleanLabel(format as keyof typeof labels, bytes);
      expect(await kept(order)).toEqual({ format, data: await clean((await clean(data))!) });
    });
  }

  test("that came without a tracking number has the order's number", async () => {
    const label = { format: "ZPL", data: labels.ZPL.toString("base64") };
    const order = await ordered({ shipping: { method_id: 1, label } });
    const { shipments } = await shop.reach(order, "Shipped");
    expect(shipments).toMatchObject([{ tracking_no: order.order_number, carrier: "USPS" }]);
  });

  test("is otherwise the carrier's: a PDF with a tracking number", async () => {
    const order = await shop.reach(await ordered(), "Shipped");
    const { format, data } = await kept(order);
    expect([format, data.subarray(0, 5).toString("latin1")]).toEqual(["PDF", "%PDF-"]);
    const [{ tracking_no, tracking_url }] = order.shipments as [Order["shipments"][number]];
    expect(tracking_url).toContain(tracking_no);
  });
});

describe("twenty clicks on ship at once", () => {
  test("send one parcel, take the units from the shelf once and the money once, and release nothing", async () => {
    const provider = useCardProvider(app);
    const order = await ordered({ payment: { payer: "patient", token: "tok_visa" } });
    await shop.reach(order, "Filling/pack");
    const tried = await Promise.allSettled(
      Array.from({ length: 20 }, () => shipOrder(app.deps, shop.work(order, technician))),
    );
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of tried) if (one.status === "rejected") expect(one.reason.key).toBe("not_now");
    expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: order.payment.amount_cents });
    expect(provider.calls.filter((call) => call.startsWith("void"))).toEqual([]);
    const { shipment, stock_entry, payment_entry } = await shop.everything(order);
    expect(shipment).toHaveLength(1);
    const kinds = (entries: unknown) => (entries as string[]).map((row) => JSON.parse(row).kind).sort();
    expect(kinds(stock_entry)).toEqual(["dispensed", "reserved"]);
    expect(kinds(payment_entry)).toEqual(["authorisation", "capture"]);
    expect((await readOrder(app, order.order_number)).payment.status).toBe("captured");
  });
});
