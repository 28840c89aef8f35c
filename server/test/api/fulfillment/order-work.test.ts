import { randomUUID } from "node:crypto";
import type { Order, OrderState } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadShelvesWithLots } from "../../../src/db/catalogue/stock-lots.ts";
import { saveOrderChange } from "../../../src/db/orders/save-order-change.ts";
import { addMonths } from "../../../src/domain/values/calendar.ts";
import { destroyStock } from "../../../src/usecases/catalogue/destroy-stock.ts";
import { countStock, receiveStock } from "../../../src/usecases/catalogue/move-stock.ts";
import { returnParcel } from "../../../src/usecases/catalogue/return-parcel.ts";
import {
  addNote,
  CLAIM_MS,
  claimOrder,
  readNotes,
  releaseClaim,
} from "../../../src/usecases/fulfillment/claim-order.ts";
import { readShelves, suggestedLots } from "../../../src/usecases/fulfillment/lots/fill-lots.ts";
import { orderDocument } from "../../../src/usecases/fulfillment/order-document.ts";
import { makeLabel } from "../../../src/usecases/fulfillment/parcels/parcel-label.ts";
import { quarantineLot } from "../../../src/usecases/fulfillment/recall/quarantine-lot.ts";
import { recallLot } from "../../../src/usecases/fulfillment/recall/recall-lot.ts";
import { capture, declined, shipOrder, shipped } from "../../../src/usecases/fulfillment/ship-order.ts";
import {
  actorOf,
  approveReview,
  byWorker,
  cancelWithReason,
  completeFill,
  type Decided,
  fillCompleted,
  productVerified,
  raiseException,
  refundOrder,
  rejectProduct,
  resolveException,
  reviewApproved,
  verifyProduct,
  type Work,
  type Worker,
} from "../../../src/usecases/fulfillment/steps.ts";
import { trackByHand, trackedByHand } from "../../../src/usecases/fulfillment/track-shipments.ts";
import type { WorkRefusalKey } from "../../../src/usecases/fulfillment/work-refusal.ts";
import { type LoadedOrder, loadChangingOrder } from "../../../src/usecases/orders/load-order.ts";
import { decideSave } from "../../../src/usecases/orders/save-change.ts";
import { readOrder } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { lotsOf, type Numbered, type Start, scansOf, staff, workplace } from "../../support/workplace.ts";

let app: TestApp;
let shop: ReturnType<typeof workplace>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
});
afterAll(() => app.stop());

const { technician, pharmacist, other_pharmacist, lead, admin } = staff;
const fresh = async () => placed(app, (await newOrder(app)).body);
const walked = async (state: OrderState) => shop.reach(await fresh(), state);
const AT_ONCE = 20;

/** Every action of staff on an order, in a state where it applies, each by a role that may do it. */
const works: Record<string, { at: Start; by: Worker; todo: (work: Work, order: Order) => Promise<unknown> }> = {
  "approve review": {
    at: { state: "Processing/clinical_review", held_from: null },
    by: pharmacist,
    todo: (work) => approveReview(app.deps, work),
  },
  fill: {
    at: { state: "Filling/fill", held_from: null },
    by: technician,
    todo: (work, order) => completeFill(app.deps, work, lotsOf(order)),
  },
  verify: {
    at: { state: "Filling/product_check", held_from: null },
    by: pharmacist,
    todo: (work, order) => verifyProduct(app.deps, work, scansOf(order)),
  },
  reject: {
    at: { state: "Filling/product_check", held_from: null },
    by: pharmacist,
    todo: (work) => rejectProduct(app.deps, work, "Wrong count."),
  },
  ship: {
    at: { state: "Filling/pack", held_from: null },
    by: technician,
    todo: (work) => shipOrder(app.deps, work),
  },
  deliver: {
    at: { state: "Shipped", held_from: null },
    by: technician,
    todo: (work) => trackByHand(app.deps, work, "delivered", "Left at the door."),
  },
  raise: {
    at: { state: "Filling/fill", held_from: null },
    by: technician,
    todo: (work) => raiseException(app.deps, work, 77, "The street is gone."),
  },
  resolve: {
    at: { state: "On Hold", held_from: "Filling/fill" },
    by: technician,
    todo: (work) => resolveException(app.deps, work, 64, "The partner called."),
  },
  cancel: {
    at: { state: "On Hold", held_from: "Filling/pack" },
    by: technician,
    todo: (work) => cancelWithReason(app.deps, work, "The patient moved."),
  },
  "refund all": {
    at: { state: "Delivered", held_from: null },
    by: technician,
    todo: (work) => refundOrder(app.deps, work, { reason_id: 101, amount_cents: null }),
  },
};
const start = async ({ at }: (typeof works)[string]) => shop.start(await fresh(), at);

async function expectRefused(tried: () => Promise<unknown>, key: WorkRefusalKey, order: Numbered): Promise<void> {
  const before = await shop.everything(order);
  await expect(tried()).rejects.toMatchObject({ key });
  expect(await shop.everything(order)).toEqual(before);
}
const claimant = async ({ order_number }: Numbered) =>
  (await shop.rows("select claimed_by from orders where order_number = $1", order_number))[0]!["claimed_by"];

describe("a claim", () => {
  for (const [name, { todo, by, ...where }] of Object.entries(works)) {
    test(`keeps other users from the order, and ends with the work: ${name}`, async () => {
      const order = await start({ todo, by, ...where });
      await claimOrder(app.deps, shop.work(order, { ...by, person_id: "somebody else" }));
      await expectRefused(() => todo(shop.work(order, by), order), "claimed", order);
      await releaseClaim(app.deps, shop.work(order, { ...by, person_id: "somebody else" }));
      await claimOrder(app.deps, shop.work(order, by));
      await todo(shop.work(order, by), order);
      expect(await claimant(order)).toBe(null);
    });
  }

  test("rejects a second person, and a lead or an admin can take it over", async () => {
    const order = await fresh();
    await claimOrder(app.deps, shop.work(order, technician));
    for (const second of [pharmacist, { person_id: "tom", role: "technician", license: null } as const]) {
      await expectRefused(() => claimOrder(app.deps, shop.work(order, second)), "claimed", order);
    }
    for (const third of [lead, admin]) {
      await claimOrder(app.deps, shop.work(order, third));
      expect(await claimant(order)).toBe(third.person_id);
    }
    await expectRefused(() => claimOrder(app.deps, shop.work(order, technician)), "claimed", order);
  });

  test("expires to the millisecond, and lasts the full time when renewed", async () => {
    const order = await fresh();
    const began = app.deps.now();
    const after = (ms: number) => ({ ...app.deps, now: () => new Date(began.getTime() + ms) });
    const claimed = await claimOrder(after(0), shop.work(order, technician));
    expect(claimed.claimed_until).toEqual(new Date(began.getTime() + CLAIM_MS));
    await claimOrder(after(1_000), shop.work(order, technician));
    const approve = (ms: number) => approveReview(after(ms), shop.work(order, pharmacist));
    await expectRefused(() => approve(1_000 + CLAIM_MS - 1), "claimed", order);
    await expectRefused(() => claimOrder(after(1_000 + CLAIM_MS - 1), shop.work(order, pharmacist)), "claimed", order);
    expect((await approve(1_000 + CLAIM_MS)).order_status).toBe("Filling");
  });

  test("that has expired is open to all", async () => {
    const order = await fresh();
    await claimOrder(app.deps, shop.work(order, technician));
    app.advance(CLAIM_MS);
    await claimOrder(app.deps, shop.work(order, pharmacist));
    expect(await claimant(order)).toBe(pharmacist.person_id);
  });

  test("is released only by its owner", async () => {
    const order = await fresh();
    await claimOrder(app.deps, shop.work(order, technician));
    expect(await releaseClaim(app.deps, shop.work(order, lead))).toBe(0);
    expect(await claimant(order)).toBe(technician.person_id);
    expect(await releaseClaim(app.deps, shop.work(order, technician))).toBe(1);
    expect(await claimant(order)).toBe(null);
  });

  test("changes nothing that a partner sees, and blocks none of the partner's actions", async () => {
    const order = await fresh();
    const seen = async () => [(await shop.load(order)).revision, await readOrder(app, order.order_number)];
    const before = await seen();
    await claimOrder(app.deps, shop.work(order, technician));
    expect(await seen()).toEqual(before);
    expect((await shop.act(order, { event: "cancel" })).order.order_status).toBe("Canceled");
  });

  test("that twenty people request at once goes to one person", async () => {
    const order = await fresh();
    const tried = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, (_, index) =>
        claimOrder(app.deps, shop.work(order, { person_id: `person ${index}`, role: "technician", license: null })),
      ),
    );
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("of an unknown order, or another account's, is 404, and so is a note", async () => {
    const order = await fresh();
    const elsewhere = { ...shop.work(order, technician), account_id: app.demo.partners[1]!.account_id };
    for (const work of [shop.work({ order_number: "0000000000" }, technician), elsewhere]) {
      await expect(claimOrder(app.deps, work)).rejects.toMatchObject({ status: 404 });
      await expect(addNote(app.deps, work, "Called.")).rejects.toMatchObject({ status: 404 });
      await expect(approveReview(app.deps, { ...work, by: pharmacist })).rejects.toMatchObject({ status: 404 });
    }
  });

  test("keeps the sandbox from advancing the order", async () => {
    const order = await walked("Filling/pack");
    await claimOrder(app.deps, shop.work(order, technician));
    const before = await shop.everything(order);
    const played = await simulate(app, "order", { order_number: order.order_number, to: "Delivered" });
    expect([played.status, played.text]).toEqual([422, expect.stringContaining("42463")]);
    expect(await shop.everything(order)).toEqual(before);
  });
});

describe("the simulated pharmacy", () => {
  const BY_PARTNER = { payer: "partner" } as const;
  const CASES: Record<string, { payment: Record<string, string>; has_lots?: true }> = {
    "the partner pays": { payment: BY_PARTNER },
    "a card pays": { payment: { payer: "patient", token: "tok_visa" } },
    "the card is declined at the capture": { payment: { payer: "patient", token: "tok_declined_at_capture" } },
    "the shelf has several lots": { payment: BY_PARTNER, has_lots: true },
  };
  type Case = (typeof CASES)[string];
  const SKU = "finasteride-1";
  const SHELF = [
    { lot: "A", expires_on: "2190-01-31", units: 20 },
    { lot: "B", expires_on: "2191-01-31", units: 25 },
  ];
  /** Two lines of one product, which are filled from both lots of the shelf, and the rest from stock without a lot. */
  const ordered = async ({ payment, has_lots }: Case) => {
    if (has_lots === undefined) return placed(app, { ...(await newOrder(app)).body, payment });
    const at = { account_id: shop.account_id, sku: SKU, note: null };
    for (const { units, ...lot } of SHELF) await receiveStock(app.deps.db, { ...at, units, lot }, app.deps.now());
    const { body } = await newOrder(app, { prescription: prescribed(SKU, 30) });
    return placed(app, { ...body, items: [body.items[0], body.items[0]], payment });
  };
  const fillOf = async (order: Order, { has_lots }: Case) => {
    const { rules } = await shop.load(order);
    const invented = { lot: "SIMULATED", lot_expires_on: addMonths(rules.today, 24) };
    if (has_lots === undefined) return order.items.map(({ item_id }) => ({ item_id, ...invented }));
    const [a, b] = SHELF.map(({ lot, expires_on }) => ({ lot, lot_expires_on: expires_on }));
    const parts = (...lots: { lot: string; lot_expires_on: string; units: number }[]) => lots;
    return [
      { item_id: 1, lots: parts({ ...a!, units: 20 }, { ...b!, units: 10 }) },
      { item_id: 2, lots: parts({ ...b!, units: 15 }, { ...invented, units: 15 }) },
    ];
  };
  const scansFor = (order: Order, { has_lots }: Case) =>
    scansOf(order).flatMap((scan) => {
      if (has_lots === undefined) return [scan];
      const lots = scan.item_id === 1 ? ["A", "B"] : ["B", "SIMULATED"];
      return lots.map((lot) => ({ ...scan, lot }));
    });

  for (const [name, given] of Object.entries(CASES)) {
    test(`writes what staff would write, and draws the label when someone opens it, if ${name}`, async () => {
      const worked = await ordered(given);
      const by_staff = await shelfChange(async () => {
        for (const step of simulatedSteps(worked, given)) if (!(await isHeld(worked))) await step();
      });
      const played = await ordered(given);
      const by_walk = await shelfChange(() =>
        simulate(app, "order", { order_number: played.order_number, to: "Delivered" }),
      );
      expect(await written(played)).toEqual(await written(worked));
      expect(by_walk).toEqual(by_staff);
      if (given.has_lots)
        expect(by_walk).toEqual({ [SKU]: [-60, -45, 0, -60], [`${SKU} A`]: [-20, 0], [`${SKU} B`]: [-25, 0] });
      if (await isHeld(played)) return;
      const printed = (order: Order) => orderDocument(app.deps, shop.work(order, technician), "label");
      const [drawn, stored] = [await printed(played), await printed(worked)];
      expect(drawn.bytes.subarray(0, 5).toString()).toBe("%PDF-");
      // Only the tracking number differs, and compression makes of it a few bytes.
      expect(Math.abs(drawn.bytes.length - stored.bytes.length)).toBeLessThan(stored.bytes.length / 10);
    });

    test(`decides each step on what a load would find, if ${name}`, async () => {
      const order = await ordered(given);
      const { account_id, order_number } = shop.work(order, technician);
      const load = () => loadChangingOrder(app.deps, app.deps.db, account_id, order_number, "elsewhere");
      const noRecall = async () => {};
      const filled = shop.work(order, technician);
      const checked = shop.work(order, pharmacist);
      type Decide = (loaded: LoadedOrder) => Decided | Promise<Decided>;
      const steps: [Work, Decide][] = [
        [checked, reviewApproved(checked)],
        [
          filled,
          async (loaded) =>
            fillCompleted(filled, await fillOf(order, given))(loaded, readShelves(app.deps.db, account_id)),
        ],
        [checked, (loaded) => productVerified(checked, scansFor(order, given))(loaded, noRecall)],
        [
          filled,
          async (loaded) => {
            const captured = await capture(app.deps, loaded);
            const label = await makeLabel(app.deps, loaded, 1, { drawn: false });
            return typeof captured === "number"
              ? shipped(app.deps, loaded, label, captured, actorOf(filled.by))
              : declined(loaded, captured);
          },
        ],
        [filled, trackedByHand(filled, "in_transit", "Left.")],
        [filled, trackedByHand(filled, "delivered", "Delivered.")],
      ];
      let loaded = await load();
      for (const [work, decide] of steps) {
        if (loaded.standing.state === "On Hold") break;
        const [outcome, own] = await decide(loaded);
        const { change, after } = decideSave(app.deps, loaded, outcome, byWorker(work, own));
        await saveOrderChange(app.deps.db, change);
        loaded = await load();
        expect(known(after())).toEqual(known(loaded));
      }
      expect(loaded.order.order_status).toBe(name.includes("declined") ? "On Hold" : "Delivered");
    });
  }

  test("is refused what staff are refused: a recalled lot, and a label that no font can print", async () => {
    const refusedWalk = async (order: Order) => {
      const before = await shop.everything(order);
      const played = await simulate(app, "order", { order_number: order.order_number, to: "Delivered" });
      expect([played.status, played.text]).toEqual([422, expect.stringContaining("42463")]);
      expect(await shop.everything(order)).toEqual(before);
    };
    const order = await fresh();
    const filled = await walked("Filling/product_check");
    for (const [lot, one] of [
      ["simulated", order],
      ["l1", filled],
    ] as const) {
      const quarantine = (on: boolean) => quarantineLot(app.deps, pharmacist, { lot }, on, randomUUID());
      await quarantine(true);
      await refusedWalk(one);
      await quarantine(false);
      expect((await simulate(app, "order", { order_number: one.order_number, to: "Shipped" })).status).toBe(202);
    }
    const { body } = await newOrder(app);
    const foreign = await placed(app, { ...body, reference: "Ng \u{13000}" });
    const label = async (drawn: boolean) => makeLabel(app.deps, await shop.load(foreign), 1, { drawn });
    for (const drawn of [true, false]) {
      await expect(label(drawn)).rejects.toMatchObject({
        key: "unprintable",
        message: expect.stringContaining("U+13000"),
      });
    }
    await refusedWalk(foreign);
  });

  const isHeld = async (order: Order) => (await shop.load(order)).standing.state === "On Hold";
  const simulatedSteps = (order: Order, given: Case) => [
    () => approveReview(app.deps, shop.work(order, pharmacist)),
    async () => completeFill(app.deps, shop.work(order, technician), await fillOf(order, given)),
    () => verifyProduct(app.deps, shop.work(order, pharmacist), scansFor(order, given)),
    () => shipOrder(app.deps, shop.work(order, technician)),
    () => trackByHand(app.deps, shop.work(order, technician), "delivered", "Delivered."),
  ];

  /** How the numbers of each shelf and lot change. */
  async function shelfChange(change: () => Promise<unknown>): Promise<Record<string, number[]>> {
    const numbers = async () => {
      const found = await shop.rows(
        `select sku as name, array[on_hand_units, lot_units, loose_filled_units, reserved_units]::float8[] as numbers
        from stock where account_id = $1
        union all
        select sku || ' ' || lot, array[on_hand_units, filled_units]::float8[] from stock_lot where account_id = $1`,
        shop.account_id,
      );
      return new Map(found.map((row) => [row.name as string, row.numbers as number[]]));
    };
    const before = await numbers();
    await change();
    const changed = [...(await numbers())].map(([name, after]) => {
      return [name, after.map((number, nth) => number - before.get(name)![nth]!)] as const;
    });
    return Object.fromEntries(changed.filter(([, moved]) => moved.some((number) => number !== 0)));
  }

  /** All rows and events without what differs between two orders: names, numbers, times and sealed bytes. */
  async function written(order: Order) {
    const tables = Object.entries(await shop.everything(order)).map(([table, rows]) => [
      table,
      (rows as unknown[]).map((row) => alike(row, order)).sort(),
    ]);
    return {
      ...Object.fromEntries(tables),
      history: (await shop.history(order)).map((row) => alike(row, order)),
      events: (await shop.events(order)).map((body) => alike(body, order)),
    };
  }
  const alike = (row: unknown, { order_number }: Order): string =>
    (typeof row === "string" ? row : JSON.stringify(row))
      .replaceAll(order_number, "order")
      .replaceAll(/"(tracking_no|tracking_url|patient_id)":\s*"[^"]*"/g, '"$1":"own"')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uuid")
      .replaceAll(/\\\\x[0-9a-f]+/g, "sealed")
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.]+(Z|[+-]\d\d(:\d\d)?)/g, "time")
      .replaceAll(/"(\w+_(key|position)|prescription_id|dispense_id|stock_entry_id|timestamp|id)":\s*\d+/g, '"$1":0')
      .replaceAll(technician.person_id, "simulated-technician")
      .replaceAll(pharmacist.person_id, "simulated-pharmacist");

  const known = ({ rules: _, payment_token: __, custom_label: ___, row, ...facts }: LoadedOrder) => ({
    ...facts,
    row: {
      payment_reference: row.payment_reference,
      payment_attempt: row.payment_attempt,
      filled_by: row.filled_by,
      claimed_by: row.claimed_by,
      claimed_until: row.claimed_until,
      last_shipment: row.last_shipment && {
        shipment_id: row.last_shipment.shipment_id,
        next_scan_at: row.last_shipment.next_scan_at && Date.parse(row.last_shipment.next_scan_at),
        scans: row.last_shipment.scans.map(({ at, status }) => [Date.parse(at), status]),
      },
    },
  });
});

describe("a user with an outdated view of the order", () => {
  for (const [name, work] of Object.entries(works)) {
    test(`must look again: ${name}`, async () => {
      const order = await start(work);
      const { revision } = await shop.load(order);
      const seen = (number: number) => work.todo(shop.work(order, work.by, number), order);
      await expectRefused(() => seen(revision - 1), "stale", order);
      await seen(revision);
    });
  }
});

describe("a click repeated twenty times at once", () => {
  const marks = async (order: Numbered) => (await shop.history(order)).length;
  for (const [name, work] of Object.entries(works)) {
    test(`counts once: ${name}`, async () => {
      const order = await start(work);
      const before = await marks(order);
      const tried = await Promise.allSettled(
        Array.from({ length: AT_ONCE }, () => work.todo(shop.work(order, work.by), order)),
      );
      expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const one of tried) {
        if (one.status === "rejected")
          expect(one.reason.key).toMatch(/not_now|not_open|open_already|nothing_to_refund/);
      }
      expect(await marks(order)).toBe(before + 1);
    });
  }

  const repeatable: Record<string, (work: Work) => Promise<unknown>> = {
    "refund a part": (work) => refundOrder(app.deps, work, { reason_id: 101, amount_cents: 100 }),
    "on its way": (work) => trackByHand(app.deps, work, "in_transit", "Seen at the hub."),
  };
  for (const [name, todo] of Object.entries(repeatable)) {
    test(`counts once where it could apply twice, because it names the version of the order: ${name}`, async () => {
      const order = await walked("Shipped");
      const { revision } = await shop.load(order);
      const before = await marks(order);
      const tried = await Promise.allSettled(
        Array.from({ length: AT_ONCE }, () => todo(shop.work(order, technician, revision))),
      );
      expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const one of tried) if (one.status === "rejected") expect(one.reason.key).toBe("stale");
      expect(await marks(order)).toBe(before + 1);
    });
  }

  test("applies only one of two contrary decisions by two pharmacists", async () => {
    const order = await walked("Filling/product_check");
    // Both saw the same order.
    const { revision } = await shop.load(order);
    const tried = await Promise.allSettled([
      verifyProduct(app.deps, shop.work(order, pharmacist, revision), scansOf(order)),
      rejectProduct(app.deps, shop.work(order, other_pharmacist, revision), "Wrong count."),
    ]);
    expect(tried.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("a fill", () => {
  const wholeBag = async () => {
    const { body } = await newOrder(app);
    const order = await placed(app, { ...body, items: [body.items[0], { sku: "packaging-pouch" }] });
    return shop.reach(order, "Filling/fill");
  };
  const day = async (order: Numbered, days: number) => {
    const { rules } = await shop.load(order);
    return new Date(Date.parse(rules.today) + days * 86_400_000).toISOString().slice(0, 10);
  };

  test("names the lot and the expiry date of every item once, and no others", async () => {
    const order = await wholeBag();
    const [pills, pouch] = lotsOf(order) as [(typeof good)[number], (typeof good)[number]];
    const good = lotsOf(order);
    const wrong: [WorkRefusalKey, typeof good][] = [
      ["every_item", []],
      ["every_item", [pills]],
      ["every_item", [pills, pills]],
      ["every_item", [pills, pouch, pouch]],
      ["unknown_item", [...good, { ...pills, item_id: 3 }]],
      ["lot_missing", [pills, { ...pouch, lot: "" }]],
      ["lot_missing", [pills, { ...pouch, lot: " " }]],
      ["lot_missing", [pills, { ...pouch, lot: "L".repeat(41) }]],
      ["lot_missing", [pills, { ...pouch, lot: "L1\n" }]],
      ["lot_missing", [pills, { ...pouch, lot_expires_on: "" }]],
      ["lot_missing", [pills, { ...pouch, lot_expires_on: "2199-02-30" }]],
      ["lot_expired", [pills, { ...pouch, lot_expires_on: await day(order, -1) }]],
      ["lot_expired", [pills, { ...pouch, lot_expires_on: await day(order, 0) }]],
    ];
    for (const [key, filled] of wrong) {
      await expectRefused(() => completeFill(app.deps, shop.work(order, technician), filled), key, order);
    }
    const tomorrow = await day(order, 1);
    const filled = [
      { item_id: 2, lot: "B-7/2.x", lot_expires_on: tomorrow },
      { item_id: 1, lot: "A".repeat(40), lot_expires_on: "2199-12-31" },
    ];
    await completeFill(app.deps, shop.work(order, technician), filled);
    expect(await lots(order)).toEqual([
      { item_id: 1, lot: "A".repeat(40), lot_expires_on: "2199-12-31" },
      { item_id: 2, lot: "B-7/2.x", lot_expires_on: tomorrow },
    ]);
  });

  test("outlasts the days of supply", async () => {
    const order = await walked("Filling/fill");
    const { prescriptions } = await shop.load(order);
    const { days_supply } = prescriptions[0]!;
    const until = async (days: number) => [{ item_id: 1, lot: "L1", lot_expires_on: await day(order, days) }];
    const short = await until(days_supply! - 1);
    const fill = (filled: typeof short) => completeFill(app.deps, shop.work(order, technician), filled);
    await expectRefused(() => fill(short), "lot_too_short", order);
    await fill(await until(days_supply!));
  });

  test("cannot be checked by the person who made it, even a lead", async () => {
    const people = [
      [pharmacist, "same_person"],
      [lead, "same_person"],
      // An admin may fill as a technician does, and is not a pharmacist.
      [admin, "not_your_role"],
    ] as const;
    for (const [person, key] of people) {
      const order = await walked("Filling/fill");
      await completeFill(app.deps, shop.work(order, person), lotsOf(order));
      await expectRefused(() => verifyProduct(app.deps, shop.work(order, person), scansOf(order)), key, order);
      await verifyProduct(app.deps, shop.work(order, other_pharmacist), scansOf(order));
    }
  });
});

describe("an order of several lots", () => {
  const PARTNER = 1;
  const SKU = "finasteride-1";
  const NDC = "70999040130";
  /** The stock of the product, all of it with a known lot. */
  const EXPIRES = { A: "2190-01-31", B: "2191-01-31" };
  const depot = () => workplace(app, PARTNER);
  const at = () => ({ account_id: depot().account_id, sku: SKU, note: null });
  const received = (lot: keyof typeof EXPIRES, units: number) =>
    receiveStock(app.deps.db, { ...at(), units, lot: { lot, expires_on: EXPIRES[lot] } }, app.deps.now());
  const toFill = async (units = 30) => {
    const { body } = await newOrder(app, { partner: PARTNER, prescription: prescribed(SKU, units) });
    return depot().reach(await placed(app, body, { partner: PARTNER }), "Filling/fill");
  };
  const part = (lot: string, units: number, lot_expires_on = EXPIRES[lot as "A"] ?? "2192-01-31") => ({
    ...{ lot, lot_expires_on, units },
  });
  const fill = (order: Numbered, ...parts: ReturnType<typeof part>[]) =>
    completeFill(app.deps, depot().work(order, technician), [{ item_id: 1, lots: parts }]);
  const check = (order: Numbered, ...scans: { code: string; lot?: string }[]) =>
    verifyProduct(
      app.deps,
      depot().work(order, pharmacist),
      scans.map((scan) => ({ item_id: 1, ...scan })),
    );
  const shelf = async () =>
    (await loadShelvesWithLots(app.deps.db, depot().account_id, [SKU]))[0]!.lots.map(
      ({ lot, on_hand_units, filled_units, returned_units }) => [lot, on_hand_units, filled_units, returned_units],
    );
  const refused = async (tried: () => Promise<unknown>, key: WorkRefusalKey, order: Numbered) => {
    const before = [await depot().everything(order), await shelf()];
    await expect(tried()).rejects.toMatchObject({ key });
    expect([await depot().everything(order), await shelf()]).toEqual(before);
  };

  beforeAll(async () => {
    await countStock(app.deps.db, { ...at(), units: 0 }, app.deps.now());
    await received("A", 20);
    await received("B", 100);
  });
  afterAll(() => expectBalanced(app, PARTNER));

  test("is filled from the first to expire, each lot is scanned, and the ledger names them", async () => {
    const order = await toFill();
    expect((await suggestedLots(app.deps.db, await depot().load(order))).get(1)).toEqual([
      part("A", 20),
      part("B", 10),
    ]);
    const elsewhere = { lot: "OTHER", expires_on: "2192-01-31" };
    await receiveStock(app.deps.db, { ...at(), sku: "sertraline-50", units: 1, lot: elsewhere }, app.deps.now());
    const wrong: [WorkRefusalKey, ReturnType<typeof part>[]][] = [
      ["lot_used_up", [part("A", 30)]],
      ["lot_not_on_shelf", [part("A", 20), part("X", 10)]],
      ["lot_other_product", [part("A", 20), part("other", 10)]],
      ["lot_other_date", [part("A", 20, EXPIRES.B), part("B", 10)]],
      ["lot_units", [part("A", 20), part("B", 9)]],
      ["lot_twice", [part("A", 10), part("a", 10, EXPIRES.A), part("B", 10)]],
      ["lots_too_many", Array.from({ length: 11 }, (_, nth) => part(`L${nth}`, 1))],
    ];
    for (const [key, parts] of wrong) await refused(() => fill(order, ...parts), key, order);
    await fill(order, part("B", 10), part("a", 20, EXPIRES.A));
    expect(await shelf()).toEqual([
      ["A", 20, 20, 0],
      ["B", 100, 10, 0],
    ]);
    const scans: [WorkRefusalKey, { code: string; lot?: string }[]][] = [
      ["every_lot", [{ code: NDC, lot: "A" }]],
      ["lot_not_read", [{ code: NDC, lot: "A" }, { code: NDC }]],
      [
        "other_lot",
        [
          { code: NDC, lot: "A" },
          { code: NDC, lot: "C" },
        ],
      ],
      [
        "scanned_twice",
        [
          { code: NDC, lot: "A" },
          { code: NDC, lot: "a" },
        ],
      ],
      [
        "wrong_product",
        [
          { code: NDC, lot: "A" },
          { code: "70999010130", lot: "B" },
        ],
      ],
      [
        "every_item",
        [
          { code: NDC, lot: "A" },
          { code: NDC, lot: "B" },
          { code: NDC, lot: "B" },
        ],
      ],
    ];
    for (const [key, scanned] of scans) await refused(() => check(order, ...scanned), key, order);
    const good = [{ code: NDC, lot: "A" }, { code: `(01)00370999401301(10)b(21)7` }];
    const by = { person_id: "phil", role: "pharmacist" };
    await quarantineLot(app.deps, by, { lot: "b" }, true, randomUUID());
    await refused(() => check(order, ...good), "lot_recalled", order);
    await quarantineLot(app.deps, by, { lot: "b" }, false, randomUUID());
    await check(order, ...good);
    await quarantineLot(app.deps, by, { lot: "b" }, true, randomUUID());
    await refused(() => shipOrder(app.deps, depot().work(order, technician)), "lot_recalled", order);
    await quarantineLot(app.deps, by, { lot: "b" }, false, randomUUID());
    await depot().reach(order, "Shipped");
    expect(await shelf()).toEqual([["B", 90, 0, 0]]);
    const entries = await shop.rows(
      "select kind, units::float8, lot, lot_units::float8 from stock_entry where order_number = $1 and kind = 'dispensed' order by lot",
      order.order_number,
    );
    expect(entries).toEqual([
      { kind: "dispensed", units: 20, lot: "A", lot_units: 20 },
      { kind: "dispensed", units: 10, lot: "B", lot_units: 10 },
    ]);
    for (const [lot, units] of [
      ["a", 20],
      ["B", 10],
    ] as const) {
      const found = await recallLot(app.deps, { lot, sku: SKU, environment: null, reveal: false });
      expect(found.filter((one) => one.order_number === order.order_number)).toMatchObject([{ units }]);
    }
  });

  test("gives its units back when the check fails and when it is canceled", async () => {
    const [, free] = (await shelf()).find(([lot]) => lot === "B")! as [string, number];
    const order = await toFill();
    await fill(order, part("B", 30));
    expect(await shelf()).toEqual([["B", free, 30, 0]]);
    await rejectProduct(app.deps, depot().work(order, pharmacist), "Chipped.");
    expect(await shelf()).toEqual([["B", free, 0, 0]]);
    await fill(order, part("B", 30));
    await cancelWithReason(app.deps, depot().work(order, technician), "Not needed.");
    expect(await shelf()).toEqual([["B", free, 0, 0]]);
  });

  test("does not take the last units of a lot that another order takes at the same time", async () => {
    await received("A", 30);
    const orders = [await toFill(), await toFill()];
    const settled = await Promise.allSettled(orders.map((order) => fill(order, part("A", 30))));
    expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(settled.find(({ status }) => status === "rejected")).toMatchObject({ reason: { key: "lot_used_up" } });
    const loser = orders[settled.findIndex(({ status }) => status === "rejected")]!;
    await fill(loser, part("B", 30));
    for (const order of orders) await cancelWithReason(app.deps, depot().work(order, technician), "Not needed.");
  });

  test("that comes back is not sold again, and its units are destroyed", async () => {
    const order = await toFill();
    await fill(order, part("A", 10), part("B", 20));
    const book = (number = order.order_number) =>
      returnParcel(app.deps, technician, { account_id: depot().account_id, order_number: number, note: null }, null);
    await expect(book()).rejects.toThrow("The order has not shipped.");
    await expect(book("0000000000")).rejects.toThrow("The account has no such order.");
    await check(order, { code: NDC, lot: "A" }, { code: NDC, lot: "B" });
    await depot().reach(order, "Shipped");
    const before = await shelf();
    const twice = await Promise.allSettled([book(), book()]);
    expect(twice.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(twice.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { message: "The return of this order is already booked." },
    });
    const back = (lot: unknown, units: number) =>
      before.map((row) => (row[0] === lot ? [...row.slice(0, 3), units] : row)).find((row) => row[0] === lot);
    expect(await shelf()).toEqual([back("A", 10), back("B", 20)]);
    const destroy = (lot: string, units: number) => {
      const given = { ...at(), units, lot, returned: true, reason: "returned" as const, witness_id: null };
      return destroyStock(app.deps, technician, given, null);
    };
    await expect(destroy("A", 11)).rejects.toThrow("There are not that many units to destroy.");
    await destroy("A", 10);
    expect(await shelf()).toEqual([back("A", 0), back("B", 20)]);
  });
});

const lots = ({ order_number }: Numbered) =>
  shop.rows(
    "select item_id, lot, lot_expires_on from order_item where order_number = $1 order by item_id",
    order_number,
  );

describe("a check of the product", () => {
  test("accepts the NDC in any format, and the SKU of a product without one", async () => {
    const { body } = await newOrder(app);
    const order = await placed(app, { ...body, items: [body.items[0], { sku: "packaging-pouch" }] });
    const scans = (ndc: string, sku = "packaging-pouch") => [
      { item_id: 1, code: ndc },
      { item_id: 2, code: sku },
    ];
    const wrong = [
      scans("70999010230"),
      scans("7099901013"),
      scans(""),
      scans("atorvastatin-20"),
      scans("70999010130", "pill-organizer"),
      scans("70999010130", ""),
    ];
    for (const code of ["70999010130", "70999-0101-30", " 70999 0101 30 ", "70999*0101*30", "070999010130"]) {
      await shop.reach(order, "Filling/product_check");
      const check = (scanned: ReturnType<typeof scans>) =>
        verifyProduct(app.deps, shop.work(order, pharmacist), scanned);
      for (const scanned of wrong) await expectRefused(() => check(scanned), "wrong_product", order);
      await expectRefused(() => check(scans(code).slice(1)), "every_item", order);
      await expectRefused(() => check([...scans(code), { item_id: 9, code }]), "unknown_item", order);
      await check(scans(code));
      // Back to the state in which the next spelling is scanned.
      await app.deps.db.raw("update orders set stage = 'product_check' where order_number = $1", [order.order_number]);
    }
  });

  test("takes what is printed on packages, and compares lot, date and serial number", async () => {
    const { body } = await newOrder(app);
    const order = await placed(app, { ...body, items: [body.items[0], body.items[0]] });
    await shop.reach(order, "Filling/fill");
    const expires_on = "2031-12-31";
    const filled = [1, 2].map((item_id) => ({ item_id, lot: "LOT-7a", lot_expires_on: expires_on }));
    await completeFill(app.deps, shop.work(order, technician), filled);
    const check = (first: string, second = "370999101300") =>
      verifyProduct(app.deps, shop.work(order, pharmacist), [
        { item_id: 1, code: first },
        { item_id: 2, code: second },
      ]);
    const gs1 = (lot: string, date = "311231", serial = "1") =>
      `]d20100370999101300${`17${date}`}10${lot}\u001d21${serial}`;
    const refused: [WorkRefusalKey, string, string?][] = [
      ["unreadable", "370999101301"],
      ["unreadable", "]d201003709991"],
      ["unreadable", gs1("LOT-7A", "311331")],
      ["wrong_product", "300710155237"],
      ["other_lot", gs1("LOT-8")],
      ["other_lot", gs1("LOT-7A", "311130")],
      ["scanned_twice", gs1("LOT-7A"), gs1("lot-7a")],
    ];
    for (const [key, first, second] of refused) await expectRefused(() => check(first, second), key, order);
    await check(gs1("LOT-7A"), gs1("LOT-7A", "311200", "2"));
    expect((await shop.load(order)).standing.state).toBe("Filling/pack");
  });

  test("of ten digits is read in every possible format", async () => {
    for (const code of ["0999-0101-30", "0999010130"]) {
      const order = await walked("Filling/product_check");
      const ndc = "update order_item set ndc = '00999010130' where order_number = $1";
      await app.deps.db.raw(ndc, [order.order_number]);
      await verifyProduct(app.deps, shop.work(order, pharmacist), [{ item_id: 1, code }]);
    }
  });

  test("that fails sends the order back to be filled again, with a reason, and clears the lots", async () => {
    const order = await walked("Filling/product_check");
    for (const reason of ["", "  ", "a\tb", "x".repeat(501)]) {
      const before = await shop.everything(order);
      await expect(rejectProduct(app.deps, shop.work(order, pharmacist), reason)).rejects.toThrow("Write 1 to");
      expect(await shop.everything(order)).toEqual(before);
    }
    await rejectProduct(app.deps, shop.work(order, pharmacist), " Two tablets are missing. ");
    expect(await lots(order)).toEqual([{ item_id: 1, lot: null, lot_expires_on: null }]);
    expect(await readNotes(app.deps, shop.account_id, order.order_number)).toMatchObject([
      { person_id: "phil", role: "pharmacist", reason: "Two tablets are missing.", signature_holds: null },
    ]);
    await expectRefused(() => verifyProduct(app.deps, shop.work(order, pharmacist), scansOf(order)), "not_now", order);
    // The person who filled it before may check what another person fills now.
    await completeFill(app.deps, shop.work(order, other_pharmacist), lotsOf(order, "L2"));
    expect(await lots(order)).toMatchObject([{ lot: "L2" }]);
    await expectRefused(
      () => verifyProduct(app.deps, shop.work(order, other_pharmacist), scansOf(order)),
      "same_person",
      order,
    );
    await verifyProduct(app.deps, shop.work(order, pharmacist), scansOf(order));
  });
});

describe("a refund by the pharmacy", () => {
  test("has a known reason, and never exceeds the captured amount", async () => {
    const order = await walked("Shipped");
    const total = order.payment.amount_cents;
    const refund = (reason_id: number, amount_cents: number | null) =>
      refundOrder(app.deps, shop.work(order, technician), { reason_id, amount_cents });
    for (const reason_id of [0, 100, 107, 101.5, Number.NaN]) {
      await expectRefused(() => refund(reason_id, 100), "unknown_reason", order);
    }
    for (const amount of [0, -1, 0.5, total + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expectRefused(() => refund(101, amount), "nothing_to_refund", order);
    }
    expect((await refund(101, 100)).payment).toMatchObject({ refunded_cents: 100, status: "captured" });
    await expectRefused(() => refund(102, total - 99), "nothing_to_refund", order);
    expect((await refund(103, null)).payment).toMatchObject({ refunded_cents: total, status: "refunded" });
    await expectRefused(() => refund(101, null), "nothing_to_refund", order);
    await expectRefused(() => refund(101, 1), "nothing_to_refund", order);
    const entries = await shop.rows(
      "select kind, amount_cents, reason_id, state, actor from payment_entry where order_number = $1 order by at",
      order.order_number,
    );
    expect(entries.slice(1)).toEqual([
      { kind: "refund", amount_cents: 100, reason_id: 101, state: "done", actor: "operator" },
      { kind: "refund", amount_cents: total - 100, reason_id: 103, state: "done", actor: "operator" },
    ]);
  });
});

describe("a note", () => {
  test("is stored encrypted with its author, in order, and needs no signature", async () => {
    const order = await fresh();
    const texts = ["Called the patient.", "Two lines:\nthe second.", "Ünïcode, 500 characters: ".padEnd(500, "x")];
    for (const text of texts) {
      // Notes of the same millisecond have no order.
      app.advance(1);
      await addNote(app.deps, shop.work(order, technician), ` ${text} `);
    }
    for (const text of ["", " ", "\n", "x".repeat(501), "a\u0000"]) {
      await expect(addNote(app.deps, shop.work(order, technician), text)).rejects.toThrow("Write 1 to");
    }
    const notes = await readNotes(app.deps, shop.account_id, order.order_number);
    expect(notes.map(({ reason }) => reason)).toEqual(texts);
    for (const note of notes) {
      expect(note).toMatchObject({ person_id: "tess", role: "technician", signature_holds: null, overridden: [] });
    }
    const { order_note } = await shop.everything(order);
    expect(JSON.stringify(order_note)).not.toContain(Buffer.from("Called").toString("hex"));
  });
});
