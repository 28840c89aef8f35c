import {
  type EventType,
  type ExceptionId,
  finalStates,
  holdableStates,
  isFinal,
  type Order,
  type OrderState,
  orderStates,
  type Role,
  roles,
  stageOfState,
  statusOfState,
  type Transition,
  transitions,
  webhookBodies,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scansOf as scansOfParcel } from "../../../src/adapters/carriers/parcel-stories.ts";
import { ImpossibleStep, system } from "../../../src/domain/orders/order.ts";
import type { Outcome } from "../../../src/domain/orders/order-change.ts";
import { receiveStock } from "../../../src/usecases/catalogue/move-stock.ts";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import {
  approveReview,
  cancelWithReason,
  completeFill,
  raiseException,
  refundOrder,
  rejectProduct,
  resolveException,
  verifyProduct,
} from "../../../src/usecases/fulfillment/steps.ts";
import { parcelOf, trackByHand, trackShipments } from "../../../src/usecases/fulfillment/track-shipments.ts";
import { workRefusals } from "../../../src/usecases/fulfillment/work-refusal.ts";
import { attachPrescription } from "../../../src/usecases/intake/attach-prescription.ts";
import { cancelOrder } from "../../../src/usecases/orders/cancel-order.ts";
import { fillBackOrders } from "../../../src/usecases/orders/fill-back-orders.ts";
import { placeOrder } from "../../../src/usecases/orders/place-order.ts";
import { prepareOrder } from "../../../src/usecases/orders/prepare-order.ts";
import { moveClock } from "../../../src/usecases/sandbox/simulate-clock.ts";
import { newOrder, type OrderBody, orderOf, placed, prescribed } from "../../support/orders.ts";
import { addPatient, ask, goodAddress, stranger } from "../../support/patient.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { lotsOf, type Start, scansOf, staff, workplace } from "../../support/workplace.ts";

let app: TestApp;
let shop: ReturnType<typeof workplace>;
let automatic: ReturnType<typeof workplace>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
  automatic = workplace(app, 1);
});
afterAll(() => app.stop());

/** How an order gets to the start of a row, and how one role takes the row. */
type Way = {
  /** By default, the smallest order, taken to the state. */
  start?: (at: Start) => Promise<Order>;
  /** Replaces it, for a row with a single start. */
  only?: () => Promise<Order>;
  take(order: Order): Promise<unknown>;
  /** The exceptions in the row's history. */
  exception_id?: ExceptionId;
  /** Under Automatic Processing. */
  automatic?: true;
};
type Fixture = { [One in Role]?: Way };

const { technician, pharmacist, lead } = staff;
const fresh = async () => placed(app, (await newOrder(app)).body);
const walked = (at: Start) => fresh().then((order) => shop.start(order, at));
const heldBy = (ids: ExceptionId[]) => (at: Start) => fresh().then((order) => shop.start(order, at, ids));
const partner_acts = (body: Record<string, unknown>) => (order: Order) => shop.act(order, body);
const raise = (order: Order, exception_id: number) =>
  accepted(simulate(app, "order", { order_number: order.order_number, exception_id }));
const accepted = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
};
const putAddress = ({ order_number }: Order) =>
  accepted(ask(app, `/orders/${order_number}/shipping_address`, goodAddress, { method: "PUT" }));

const minoxidil = (items = 1) =>
  newOrder(app, { prescription: prescribed("minoxidil-2-5", 90) }).then(({ body }) =>
    placed(app, { ...body, items: Array.from({ length: items }, () => body.items[0]) }),
  );
const restock = async () => {
  await receiveStock(app.deps.db, { account_id: shop.account_id, sku: "minoxidil-2-5", units: 90, note: null }, now());
  await fillBackOrders(app.deps, shop.account_id);
};
const now = () => app.deps.now();

/** The carrier's scan after next is a moment away: the parcel is in transit, or out for delivery. */
async function until(order: Order, status: "in_transit" | "delivered") {
  const shipped = await shop.reach(order, "Shipped");
  const { at } = scansOfParcel(parcelOf(await shop.load(shipped), shipped.shipments[0]!)).find(
    (scan) => scan.status === status,
  )!;
  await moveTo(order, new Date(at.getTime() - 60_000));
  return shipped;
}
async function moveTo(order: Order, at: Date) {
  const { rules } = await shop.load(order);
  const seconds = Math.ceil((at.getTime() - rules.now.getTime()) / 1000);
  if (seconds > 0) await app.deps.db.transaction((tx) => moveClock(tx, shop.account_id, seconds, now()));
  await trackShipments(app.deps, shop.account_id);
}
const scanned = async (order: Order) => {
  const { rules } = await shop.load(order);
  await moveTo(order, new Date(rules.now.getTime() + 120_000));
};

async function create(order: Order, body: OrderBody, actor: "partner" | "system") {
  const orderer = { account_id: shop.account_id, environment: "sandbox" as const, clock_offset_s: 0, actor };
  const prepared = await prepareOrder(app.deps, orderer, body, () => JSON.stringify(body), now());
  // The result is the order that this creates.
  Object.assign(order, (await placeOrder(app.deps, app.deps.db, prepared, now())).order);
}
const created = (body: () => Promise<OrderBody>, exception_id?: ExceptionId): Fixture =>
  Object.fromEntries(
    (["partner", "system"] as const).map((actor) => [
      actor,
      { take: async (order: Order) => create(order, await body(), actor), ...(exception_id && { exception_id }) },
    ]),
  );

/** Two items in question, and an action that resolves one of them. */
async function twoUnclear() {
  const known = stranger();
  const unclear = { prescription: { sig_text: "" }, patient: known };
  const { patient_id, prescription_id } = await addPatient(app, unclear);
  const other = await addPatient(app, {
    ...unclear,
    prescription: { ...prescribed("sertraline-50", 90), sig_text: "" },
  });
  const { items } = orderOf(other);
  const body = orderOf({ patient_id, prescription_id });
  const clear = await addPatient(app, { patient: known });
  return { body: { ...body, items: [...body.items, ...items] }, clear };
}
async function twoMissing() {
  const known = stranger();
  const later = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  const { patient_id } = await addPatient(app, {
    partner: 1,
    patient: known,
    prescription: { effective_date: later },
  });
  const prescriber = { prescriber_name: "Ada Lindqvist", prescriber_phone: "4155550177" };
  const items = ["atorvastatin-20", "sertraline-50"].map((sku) => ({ sku, package_size: 90, ...prescriber }));
  return { order: await placed(app, { ...orderOf({ patient_id, prescription_id: 0 }), items }, { partner: 1 }), known };
}

const clear = new Map<string, number>();
const fixtures: Record<string, Fixture> = {
  "create → Processing/clinical_review": created(async () => (await newOrder(app)).body),
  "create → Filling/fill": created(async () => {
    const { body } = await newOrder(app);
    return { ...body, items: [{ sku: "packaging-pouch" }] };
  }),
  "create → On Hold": created(async () => (await newOrder(app, { patient: { email: null } })).body, 65),
  "approve_review → Filling/fill": {
    pharmacist: { take: (order) => approveReview(app.deps, shop.work(order, pharmacist)) },
  },
  "complete_fill → Filling/product_check": {
    technician: { take: (order) => completeFill(app.deps, shop.work(order, technician), lotsOf(order)) },
  },
  "verify_product → Filling/pack": {
    pharmacist: { take: (order) => verifyProduct(app.deps, shop.work(order, pharmacist), scansOf(order)) },
  },
  "reject_product → Filling/fill": {
    pharmacist: { take: (order) => rejectProduct(app.deps, shop.work(order, pharmacist), "Wrong count.") },
  },
  "ship → Shipped": {
    technician: { take: (order) => shipOrder(app.deps, shop.work(order, technician)) },
    system: {
      take: async (order) => {
        const { order: is, details } = await shop.load(order);
        const shipment = {
          tracking_no: "9400100000000000000001",
          tracking_url: null,
          carrier: "USPS",
          method: "Standard Mail",
          status: "label_created" as const,
          shipped_at: now().toISOString(),
          delivered_at: null,
        };
        await shop.directly(
          order,
          {
            event: "ship",
            after: { order: { ...is, shipments: [shipment] } },
            items: is.items.map(({ item_id }) => ({ item_id, pending: false, reserved: false })),
            stock: [{ sku: is.items[0]!.sku, kind: "dispensed", units: details[0]!.units }],
          },
          "system",
        );
      },
    },
  },
  "track → Shipped": {
    carrier: { only: async () => until(await fresh(), "in_transit"), take: scanned },
    operator: { take: (order) => trackByHand(app.deps, shop.work(order, technician), "exception", "Nobody there.") },
  },
  "deliver → Delivered": {
    carrier: { only: async () => until(await fresh(), "delivered"), take: scanned },
    operator: { take: (order) => trackByHand(app.deps, shop.work(order, lead), "delivered", "Left at the door.") },
  },
  "raise_exception → On Hold": {
    operator: {
      take: (order) => raiseException(app.deps, shop.work(order, technician), 77, "The street is gone."),
      exception_id: 77,
    },
    system: { take: (order) => raise(order, 72), exception_id: 72 },
    partner: { take: partner_acts({ event: "hold" }), exception_id: 64 },
  },
  "raise_exception → On Hold from On Hold": {
    operator: {
      take: (order) => raiseException(app.deps, shop.work(order, technician), 77, "The street is gone."),
      exception_id: 77,
    },
    system: { take: (order) => raise(order, 72), exception_id: 72 },
  },
  "resolve → On Hold from On Hold": {
    partner: { start: heldBy([64, 77]), take: partner_acts({ event: "release" }), exception_id: 64 },
    pharmacist: {
      start: heldBy([64, 69]),
      take: (order) =>
        resolveException(app.deps, shop.work(order, pharmacist), 69, "Asked the prescriber.", "prescriber_consulted"),
      exception_id: 69,
    },
    operator: {
      start: heldBy([64, 77]),
      take: (order) => resolveException(app.deps, shop.work(order, technician), 77, "The patient called."),
      exception_id: 77,
    },
    system: {
      only: async () => raiseException(app.deps, shop.work(await minoxidil(), technician), 64, "Held."),
      take: restock,
      exception_id: 76,
    },
  },
  "resolve → before the hold from On Hold": {
    partner: { take: partner_acts({ event: "release" }), exception_id: 64 },
    pharmacist: {
      take: (order) => resolveException(app.deps, shop.work(order, pharmacist), 64, "The partner called."),
      exception_id: 64,
    },
    operator: {
      take: (order) => resolveException(app.deps, shop.work(order, technician), 64, "The partner called."),
      exception_id: 64,
    },
    system: { only: () => minoxidil(), take: restock, exception_id: 76 },
  },
  "cancel → Canceled": {
    partner: { take: partner_acts({ event: "cancel" }) },
    operator: { take: (order) => cancelWithReason(app.deps, shop.work(order, technician), "The patient moved.") },
    system: {
      take: ({ order_number }) =>
        cancelOrder(app.deps, app.deps.db, { account_id: shop.account_id, order_number, actor: system }),
    },
  },
  "update_address → unchanged": {
    partner: { take: putAddress },
    operator: { take: (order) => shop.directly(order, { event: "update_address" }, "operator") },
  },
  "replace_prescription → unchanged from On Hold": {
    partner: {
      only: async () => {
        const { body, clear: other } = await twoUnclear();
        const order = await placed(app, body);
        clear.set(order.order_number, other.prescription_id);
        return order;
      },
      take: (order) =>
        shop.act(order, { event: "replace_prescription", prescription_id: clear.get(order.order_number) ?? 1 }),
    },
    system: {
      automatic: true,
      only: async () => {
        const { order, known } = await twoMissing();
        const later = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
        const arrived = await addPatient(app, {
          partner: 1,
          patient: known,
          prescription: { effective_date: later },
        });
        await app.deps.db.raw("update prescription set effective_date = written_date where prescription_id = $1", [
          arrived.prescription_id,
        ]);
        clear.set(order.order_number, arrived.prescription_id);
        return order;
      },
      take: (order) => attachPrescription(app.deps, automatic.account_id, clear.get(order.order_number) ?? 1),
    },
  },
  "remove_item → unchanged from On Hold": {
    partner: { only: () => minoxidil(3), take: partner_acts({ event: "remove_item", item_id: 2 }) },
  },
  "refund → unchanged": {
    partner: { take: partner_acts({ event: "partial_refund", reason_id: 101, amount_cents: 100 }) },
    operator: {
      take: (order) => refundOrder(app.deps, shop.work(order, technician), { reason_id: 105, amount_cents: null }),
    },
  },
};

const rows: readonly Transition[] = transitions;
const nameOf = ({ event, from, to }: Transition) =>
  `${event} → ${to}${from.join() === "On Hold" ? " from On Hold" : ""}`;

/** A held order may have been held in any state that allows it. */
const startsOf = ({ from }: Transition): Start[] =>
  from.flatMap((state): Start[] => {
    if (state === "new") return [];
    return state === "On Hold"
      ? holdableStates.map((held_from) => ({ state, held_from }))
      : [{ state, held_from: null }];
  });
const told = ({ state, held_from }: Start) => (held_from === null ? state : `${state}, from ${held_from}`);

/** The transitions that the tests took, from state to state. */
const walkedEdges: [OrderState | "new", OrderState][] = [];

async function expectTaken(row: Transition, role: Role, way: Way, start: Start | null): Promise<void> {
  const own = way.automatic ? automatic : shop;
  const order = start === null ? ({} as Order) : await (way.only ?? way.start ?? walked)(start);
  const before =
    start === null
      ? null
      : { history: await own.history(order), events: await own.events(order), ...(await own.load(order)).standing };
  await way.take(order);
  const { standing } = await own.load(order);
  const written = (await own.history(order)).slice(before?.history.length ?? 0);
  // A new order also has a row for each exception that it starts with.
  const history = start === null ? written.slice(0, 1) : written;
  const raised = written.slice(history.length).map((line) => line["exception_id"]);
  expect(raised).toEqual(start === null ? standing.open : []);
  const known = new Set(before?.events.map(({ event_id }) => event_id));
  const events = (await own.events(order)).filter((event) => !known.has(event["event_id"]) && "sequence" in event);

  const to =
    row.to === "unchanged" ? before!.state : row.to === "before the hold" ? before!.held_from! : (row.to as OrderState);
  expect(standing.state).toBe(to);
  expect(history).toEqual([
    {
      actor: role,
      person_id: history[0]?.["person_id"],
      event: row.event,
      from: before && statusOfState(before.state),
      to: statusOfState(to),
      stage: stageOfState(to),
      exception_id: way.exception_id ?? null,
    },
  ]);
  // A staff row names the person; partners, carriers and the system have none.
  const nobody = ["partner", "system", "carrier"].includes(role);
  if (nobody) expect(history[0]!["person_id"]).toBe(null);
  expect(events.map(({ event_type }) => event_type).sort()).toEqual([...row.sends].sort());
  const sequence = (before?.sequence ?? 0) + (row.sends.length > 0 ? 1 : 0);
  expect(standing.sequence).toBe(sequence);
  for (const event of events) {
    expect(misfits(webhookBodies[event["event_type"] as EventType], event)).toEqual([]);
    expect(event).toMatchObject({ order_number: order.order_number, sequence });
  }
  expect(events.find(({ event_type }) => event_type === "ORDER_UPDATED")).toEqual(
    row.sends.includes("ORDER_UPDATED")
      ? expect.objectContaining({
          order_status: statusOfState(to),
          previous_order_status: before && statusOfState(before.state),
        })
      : undefined,
  );
  walkedEdges.push([before?.state ?? "new", to]);
}

describe("every row of the transition table", () => {
  test("has a fixture, for each role that may take it", () => {
    expect(Object.keys(fixtures).sort()).toEqual(rows.map(nameOf).sort());
    for (const row of rows)
      expect([nameOf(row), Object.keys(fixtures[nameOf(row)]!).sort()]).toEqual([nameOf(row), [...row.by].sort()]);
  });

  for (const row of rows) {
    const fixture = fixtures[nameOf(row)] ?? {};
    for (const [index, role] of row.by.entries()) {
      const way = fixture[role]!;
      const starts = startsOf(row);
      // The first role takes it from every start, the others from the first one.
      for (const start of starts.slice(0, index === 0 && way.only === undefined ? starts.length : 1)) {
        test(`${nameOf(row)} by ${role}, ${told(start)}: one row of history, and its events`, () =>
          expectTaken(row, role, way, start));
      }
      if (row.from.includes("new")) {
        test(`${nameOf(row)} by ${role}: one row of history, and its events`, () => expectTaken(row, role, way, null));
      }
    }
  }
});

/** Any state of an order. */
const everywhere: Start[] = orderStates.flatMap((state): Start[] =>
  state === "On Hold" ? [{ state, held_from: "Filling/fill" }] : [{ state, held_from: null }],
);

/** What each event passes to `changeOrder`, the single path for every change of an order. */
const outcomeOf = (event: string): Outcome =>
  event === "raise_exception"
    ? { raises: [77] }
    : event === "resolve"
      ? { ends: [64] }
      : { event: event as NonNullable<Outcome["event"]> };

describe("a role that a row does not name", () => {
  for (const start of everywhere) {
    const here = rows.filter(({ event, from }) => event !== "create" && from.includes(start.state));
    const refused = here.flatMap((row) => {
      const may = here.filter(({ event }) => event === row.event).flatMap(({ by }) => by);
      return roles.filter((role) => !may.includes(role)).map((role) => [row.event, role] as const);
    });
    if (refused.length === 0) continue;
    test(`cannot take it, and writes nothing: ${told(start)}, ${refused.length} times`, async () => {
      const order = await walked(start);
      const before = await shop.everything(order);
      for (const [event, role] of refused) {
        const tried = shop.directly(order, outcomeOf(event), role);
        await expect(tried, `${event} by ${role}`).rejects.toMatchObject({ because: "role" });
        expect(await shop.everything(order)).toEqual(before);
      }
    });
  }

  const beyond: [Start["state"], string, (order: Order) => Promise<unknown>][] = [
    ["Processing/clinical_review", "approve_review", (order) => approveReview(app.deps, shop.work(order, technician))],
    [
      "Filling/product_check",
      "verify_product",
      (order) => verifyProduct(app.deps, shop.work(order, technician), scansOf(order)),
    ],
    [
      "Filling/product_check",
      "reject_product",
      (order) => rejectProduct(app.deps, shop.work(order, technician), "No."),
    ],
  ];
  for (const [state, event, take] of beyond) {
    test(`gets an error: ${event} by a technician`, async () => {
      const order = await walked({ state, held_from: null });
      const before = await shop.everything(order);
      await expect(take(order)).rejects.toMatchObject({ key: "not_your_role" });
      expect(await shop.everything(order)).toEqual(before);
    });
  }
});

describe("an event that no row has for a state", () => {
  const events = [...new Set(rows.map(({ event }) => event))].filter((event) => event !== "create");
  for (const start of everywhere) {
    const absent = events.filter((event) => !rows.some((row) => row.event === event && row.from.includes(start.state)));
    test(`moves nothing and writes nothing: ${told(start)}, ${absent.join(", ")}`, async () => {
      const order = await walked(start);
      const before = await shop.everything(order);
      for (const event of absent) {
        const may = rows.filter((row) => row.event === event).flatMap(({ by }) => by);
        // An exception that is not open cannot be closed: for the table this is not a step.
        for (const role of event === "resolve" ? [] : new Set(may)) {
          const tried = shop.directly(order, outcomeOf(event), role);
          await expect(tried, `${event} by ${role}`).rejects.toBeInstanceOf(ImpossibleStep);
        }
        // The same holds for the paths of staff, partners and carriers.
        for (const way of Object.values(fixtures[nameOf(rows.find((row) => row.event === event)!)]!)) {
          if (way.automatic) continue;
          await way.take(order).then(
            (done) => expect([event, done]).toEqual([event, undefined]),
            (error: Error) => expect(error.message, event).toMatch(REFUSED),
          );
        }
      }
      expect(await shop.everything(order)).toEqual(before);
    });
  }
});

/** A person's sentence, a partner's code, or the table's own text. */
const REFUSED = new RegExp(["42463", "42228", "is not possible", ...Object.values(workRefusals)].join("|"));

describe("the tested graph", () => {
  test("covers every state and stage", () => {
    expect(new Set(walkedEdges.map(([, to]) => to))).toEqual(new Set(orderStates));
  });

  test("leads from every state that is not final to a final one, and from final ones nowhere", () => {
    const ends = new Set<OrderState | "new">(finalStates);
    for (let grows = true; grows; ) {
      const found = walkedEdges.filter(([from, to]) => ends.has(to) && !ends.has(from));
      for (const [from] of found) ends.add(from);
      grows = found.length > 0;
    }
    expect(ends).toEqual(new Set(["new", ...orderStates]));
    expect(walkedEdges.filter(([from, to]) => from !== "new" && isFinal(from) && to !== from)).toEqual([]);
  });

  test("has every way back from a hold", () => {
    const back = walkedEdges.filter(([from, to]) => from === "On Hold" && to !== "On Hold" && to !== "Canceled");
    expect(new Set(back.map(([, to]) => to))).toEqual(new Set(holdableStates));
  });
});
