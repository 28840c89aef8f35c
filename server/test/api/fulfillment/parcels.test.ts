import { type Order, type ShipmentStatus, webhookBodies } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Carriers } from "../../../src/adapters/carriers/carriers.ts";
import { scansOf as tableOf } from "../../../src/adapters/carriers/parcel-stories.ts";
import { loadShipmentLabel, shipmentLabelPlace } from "../../../src/db/fulfillment/shipments.ts";
import { printOrder } from "../../../src/usecases/fulfillment/parcels/print-order.ts";
import { voidUnusedLabels } from "../../../src/usecases/fulfillment/parcels/void-labels.ts";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import { cancelWithReason } from "../../../src/usecases/fulfillment/steps.ts";
import { parcelOf, trackByHand, trackShipments } from "../../../src/usecases/fulfillment/track-shipments.ts";
import { moveClock } from "../../../src/usecases/sandbox/simulate-clock.ts";
import { readOrder } from "../../support/actions.ts";
import { useCardProvider } from "../../support/card-provider.ts";
import { newOrder, type OrderBody, placed, post } from "../../support/orders.ts";
import { goodAddress } from "../../support/patient.ts";
import { onePagePdf, onePixelPng } from "../../support/samples/labels.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";
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

describe("a label that is printed before the hand-over", () => {
  const labels = async ({ order_number }: Order) =>
    (await shop.rows(
      `select label_id, state, tracking_no, content_sealed is not null as kept from parcel_label
      where account_id = $1 and order_number = $2 order by label_id`,
      shop.account_id,
      order_number,
    )) as { label_id: number; state: string; tracking_no: string; kept: boolean }[];
  const packed = async (changes: Partial<OrderBody> = {}) => {
    const order = await ordered(changes);
    await shop.reach(order, "Filling/pack");
    return order;
  };
  const print = (order: Order, deps = app.deps) => printOrder(deps, shop.work(order, technician));
  /** A carrier that keeps a list of the labels that Pestle voids, and that can be unreachable. */
  const noting = (voided: string[], { reachable = true } = {}): TestApp["deps"] => ({
    ...app.deps,
    carriers: {
      ...app.deps.carriers,
      sandbox: {
        ...app.deps.carriers.sandbox,
        async voidLabel({ tracking_no }) {
          if (!reachable) throw new Error("out of reach");
          voided.push(tracking_no!);
          return "done";
        },
      },
    },
  });

  test("keeps its tracking number, charges nothing and changes nothing that the partner sees", async () => {
    const provider = useCardProvider(app);
    const order = await packed({ payment: { payer: "patient", token: "tok_visa" } });
    const before = await shop.everything(order);
    await print(order);
    const [first] = await labels(order);
    expect(first).toMatchObject({ label_id: 1, state: "ready", kept: true });
    await Promise.all([print(order), print(order)]);
    expect(await labels(order)).toEqual([first]);
    const { parcel_label: _, ...after } = await shop.everything(order);
    const { parcel_label: __, ...unchanged } = before;
    expect(after).toEqual(unchanged);
    expect(provider.booksOf(order.order_number)).toEqual({ held: order.payment.amount_cents, taken: 0 });
    const shipped = await shipOrder(app.deps, shop.work(order, technician), { printed: true });
    expect(shipped.shipments[0]!.tracking_no).toBe(first!.tracking_no);
    expect(await labels(order)).toMatchObject([{ state: "shipped", kept: false }]);
    expect(provider.booksOf(order.order_number)).toEqual({ held: 0, taken: order.payment.amount_cents });
    await expect(print(order)).rejects.toMatchObject({ key: "not_now" });
  });

  test("is made once, however many people print it at once", async () => {
    const order = await packed();
    await Promise.all(Array.from({ length: 10 }, () => print(order)));
    expect(await labels(order)).toMatchObject([{ label_id: 1, state: "ready" }]);
  });

  test("is void if the address changes, and the order does not ship with it", async () => {
    const order = await packed();
    await print(order);
    const address = { ...goodAddress, street1: "12 Market St", ignore_warnings: true };
    const changed = await app.call(`/v1/orders/${order.order_number}/shipping_address`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(address),
    });
    expect(changed.status).toBe(200);
    const ship = shipOrder(app.deps, shop.work(order, technician), { printed: true });
    await expect(ship).rejects.toMatchObject({ key: "not_printed" });
    const voided: string[] = [];
    await print(order, noting(voided));
    const [old, fresh] = await labels(order);
    expect([old!.state, fresh!.state, old!.tracking_no === fresh!.tracking_no]).toEqual(["voided", "ready", false]);
    expect(voided).toEqual([old!.tracking_no]);
    const shipped = await shipOrder(app.deps, shop.work(order, technician), { printed: true });
    expect(shipped.shipments[0]!.tracking_no).toBe(fresh!.tracking_no);
  });

  test("is void if the order is canceled, by whomever, as soon as the carrier answers", async () => {
    const [ours, theirs] = [await packed(), await packed()];
    for (const order of [ours, theirs]) await print(order);
    const voided: string[] = [];
    const silent = noting(voided, { reachable: false });
    await cancelWithReason(silent, shop.work(ours, technician), "No longer needed.");
    await shop.act(theirs, { event: "cancel" });
    expect([...(await labels(ours)), ...(await labels(theirs))].map(({ state }) => state)).toEqual(["ready", "ready"]);
    await voidUnusedLabels(noting(voided));
    for (const order of [ours, theirs]) {
      const [label] = await labels(order);
      expect([label!.state, label!.kept, voided.includes(label!.tracking_no)]).toEqual(["voided", false, true]);
    }
  });

  test("is void if the order is canceled while the carrier makes it, and kept if the order ships with it", async () => {
    const voided: string[] = [];
    /** Something happens to the order between the label and its record. */
    const meanwhile = (happens: () => Promise<unknown>): TestApp["deps"] => {
      const { sandbox, ...others } = noting(voided).carriers;
      const createLabel: typeof sandbox.createLabel = async (asked) => {
        const made = await sandbox.createLabel(asked);
        await happens();
        return made;
      };
      return { ...app.deps, carriers: { ...others, sandbox: { ...sandbox, createLabel } } };
    };
    const [canceled, shipped, held] = [await packed(), await packed(), await packed()];
    const cancel = meanwhile(() => shop.act(canceled, { event: "cancel" }));
    await expect(print(canceled, cancel)).rejects.toMatchObject({ key: "not_now" });
    const [label] = await labels(canceled);
    expect([label!.state, label!.kept, voided]).toEqual(["voided", false, [label!.tracking_no]]);
    const ship = meanwhile(() => shipOrder(app.deps, shop.work(shipped, technician)));
    await expect(print(shipped, ship)).rejects.toMatchObject({ key: "not_now" });
    const hold = meanwhile(() => shop.act(held, { event: "hold" }));
    await expect(print(held, hold)).rejects.toMatchObject({ key: "not_now" });
    expect([await labels(shipped), await labels(held), voided.length]).toEqual([[], [], 1]);
  });

  test("stays if the order is held and released, and is not made for an order that is not packed", async () => {
    const order = await packed();
    await print(order);
    const [label] = await labels(order);
    await shop.act(order, { event: "hold" });
    await expect(print(order)).rejects.toMatchObject({ key: "not_now" });
    await shop.act(order, { event: "release" });
    const shipped = await shipOrder(app.deps, shop.work(order, technician), { printed: true });
    expect(shipped.shipments[0]!.tracking_no).toBe(label!.tracking_no);
    const early = await ordered();
    await expect(print(early)).rejects.toMatchObject({ key: "not_now" });
  });

  test("prints with its slip in one PDF for many orders, on the paper of the station", async () => {
    const web = await webPerson(app, "technician");
    const zpl = { format: "ZPL", data: Buffer.from("^XA\n^FDparcel\n^FS\n^XZ\n").toString("base64") };
    const png = { format: "PNG", data: onePixelPng };
    const orders = [
      await packed(),
      await packed({ shipping: { method_id: 1, label: png } }),
      await packed({ shipping: { method_id: 1, label: zpl } }),
    ];
    const named = orders.map(({ order_number }) => ({ account_id: shop.account_id, order_number }));
    const address = (query: string) =>
      `/dashboard/print?orders=${named.map((one) => `${one.account_id}/${one.order_number}`).join(",")}${query}`;
    expect((await web.get(address(""))).body.error.key).toBe("not_shipped");
    const bulk = await web.send("POST", "/dashboard/bulk", { event: "print", orders: named });
    expect(bulk.body).toMatchObject({ done: 3, refused: 0 });
    const sizes = async (query: string) => {
      const answer = await fetch(`${app.addresses.base_url}/web${address(query)}`, { headers: web.headers });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
      const bytes = await answer.arrayBuffer();
      const { PDFDocument } = await import("pdf-lib");
      return (await PDFDocument.load(bytes)).getPages().map((page) => Object.values(page.getSize()).join("x"));
    };
    const [letter, roll] = ["612x792", "288x432"];
    expect(await sizes("")).toEqual([letter, roll, letter, roll, letter, roll]);
    expect(await sizes("&slip_paper=4x6&documents=slips")).toEqual([roll, roll, roll]);
    expect(await sizes("&label_paper=letter&documents=labels")).toEqual([letter, letter, letter]);
    const audited = "select count(*)::int as n from audit_entry where action = 'document_viewed' and subject = $1";
    expect(await shop.rows(audited, orders[0]!.order_number)).toEqual([{ n: 3 }]);
    for (const bad of ["/dashboard/print", "/dashboard/print?orders=x", `${address("")},${"x,".repeat(60)}`]) {
      expect((await web.get(bad)).status).toBe(400);
    }
    const [first] = named;
    const unknown = `/dashboard/print?orders=${first!.account_id}/0000000000`;
    expect((await web.get(unknown)).status).toBe(404);
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
