import type { Order } from "@pestle/contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { countStock, receiveStock } from "../../../src/usecases/catalogue/move-stock.ts";
import { fillDue } from "../../../src/usecases/intake/order-due-prescriptions.ts";
import { fillBackOrders } from "../../../src/usecases/orders/fill-back-orders.ts";
import { readOrder } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { newOrder, orderOf, placed, prescribed } from "../../support/orders.ts";
import { addPatient, ask, stranger } from "../../support/patient.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { workplace } from "../../support/workplace.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  // A second product that accepts back orders and is out of stock.
  await app.deps.db.raw("update product set back_orders = true where sku = 'tretinoin-025'");
});
afterAll(async () => {
  await expectBalanced(app);
  await app.stop();
});

const MINOXIDIL = "minoxidil-2-5";
const TRETINOIN = "tretinoin-025";
const account_id = () => app.demo.partners[0]!.account_id;
const receive = async (units: number, sku = MINOXIDIL) => {
  await receiveStock(app.deps.db, { account_id: account_id(), sku, units, note: null }, app.deps.now());
  await fillBackOrders(app.deps, account_id());
};
const shelf = async (sku = MINOXIDIL) => {
  const text =
    "select on_hand_units::int as on_hand, reserved_units::int as reserved from stock where account_id = $1 and sku = $2";
  return (await app.deps.db.raw(text, [account_id(), sku])).rows[0];
};
const wanted = async (value: 30 | 60 | 90): Promise<Order> =>
  placed(app, (await newOrder(app, { prescription: prescribed(MINOXIDIL, value) })).body);
const held = async (orders: readonly Order[]) =>
  (await Promise.all(orders.map(({ order_number }) => readOrder(app, order_number)))).map(({ exceptions }) =>
    exceptions.map(({ id }) => id),
  );
const cancel = (order: Order) => workplace(app).act(order, { event: "cancel" });

describe("an order that waits for stock", () => {
  afterEach(async () => {
    const text = "select distinct order_number from order_item where account_id = $1 and pending";
    for (const row of (await app.deps.db.raw(text, [account_id()])).rows) await cancel(row as Order);
    for (const sku of [MINOXIDIL, TRETINOIN]) {
      await countStock(app.deps.db, { account_id: account_id(), sku, units: 0, note: null }, app.deps.now());
    }
  });

  test("gets arriving units before every younger order, and units that are too few for it go to those", async () => {
    const orders = [await wanted(60), await wanted(90), await wanted(30)];
    expect(await held(orders)).toEqual([[76], [76], [76]]);
    await receive(59);
    expect(await held(orders)).toEqual([[76], [76], []]);
    await receive(30);
    expect(await held(orders)).toEqual([[76], [76], []]);
    await receive(31);
    expect(await held(orders)).toEqual([[], [76], []]);
    await receive(60);
    expect(await held(orders)).toEqual([[], [], []]);
    expect(await shelf()).toEqual({ on_hand: 180, reserved: 180 });
  });

  test("for two products continues when both are in stock, and keeps its reservations meanwhile", async () => {
    const known = stranger();
    const pills = await addPatient(app, { patient: known, prescription: prescribed(MINOXIDIL, 90) });
    const cream = await addPatient(app, { patient: known, prescription: prescribed(TRETINOIN, 45) });
    const body = orderOf(pills);
    const order = await placed(app, { ...body, items: [...body.items, ...orderOf(cream, 45).items] });
    const later = await wanted(90);
    await receive(90);
    expect(await held([order, later])).toEqual([[76], [76]]);
    expect(await shelf()).toEqual({ on_hand: 90, reserved: 90 });
    await receive(45, TRETINOIN);
    expect(await held([order, later])).toEqual([[], [76]]);
    // The half that it had goes to the next in line after the cancel.
    await cancel(order);
    await fillBackOrders(app.deps, account_id());
    expect(await held([later])).toEqual([[]]);
  });

  test("with two items of one product gets them one by one", async () => {
    const { body } = await newOrder(app, { prescription: prescribed(MINOXIDIL, 60) });
    const [item] = body.items;
    const order = await placed(app, { ...body, items: [item, item] });
    await receive(60);
    expect([await held([order]), await shelf()]).toEqual([[[76]], { on_hand: 60, reserved: 60 }]);
    await receive(60);
    expect([await held([order]), await shelf()]).toEqual([[[]], { on_hand: 120, reserved: 120 }]);
  });

  test("takes nothing after it is canceled", async () => {
    const order = await wanted(90);
    await cancel(order);
    await receive(90);
    expect(await shelf()).toEqual({ on_hand: 90, reserved: 0 });
  });

  test("is served once, however many jobs run at once", async () => {
    const orders = await Promise.all([wanted(90), wanted(90), wanted(90)]);
    await receiveStock(
      app.deps.db,
      { account_id: account_id(), sku: MINOXIDIL, units: 180, note: null },
      app.deps.now(),
    );
    await Promise.all(Array.from({ length: 20 }, () => fillBackOrders(app.deps, account_id())));
    const open = await held(orders);
    expect(open.filter((ids) => ids.length === 0)).toHaveLength(2);
    expect(await shelf()).toEqual({ on_hand: 180, reserved: 180 });
    const text = "select count(*)::int as times from stock_entry where order_number = any($1) and kind = 'reserved'";
    const { rows } = await app.deps.db.raw(text, [orders.map(({ order_number }) => order_number)]);
    expect(rows).toEqual([{ times: 2 }]);
  });

  test("in the sandbox gets its stock after a week of the account's clock, and not earlier", async () => {
    const order = await wanted(90);
    const advance = (seconds: number) => simulate(app, "clock", { advance_seconds: seconds });
    await advance(7 * 86_400 - 60);
    expect(await held([order])).toEqual([[76]]);
    await advance(120);
    expect(await held([order])).toEqual([[]]);
    expect(await shelf()).toEqual({ on_hand: 90, reserved: 90 });
  });
});

describe("an order that waits for its prescription", () => {
  const prescriber = { prescriber_name: "Ada Lindqvist", prescriber_phone: "4155550177" };
  const later = () => new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10);
  async function waiting() {
    const known = stranger();
    // The prescription through which the account knows the patient; it does not become an order for a long time.
    const { patient_id } = await addPatient(app, {
      partner: 1,
      patient: known,
      prescription: { ...prescribed("finasteride-1", 30), effective_date: later() },
    });
    const items = [{ sku: "sertraline-50", package_size: 90, ...prescriber }];
    const body = { ...orderOf({ patient_id, prescription_id: 0 }), items };
    const order = await placed(app, body, { partner: 1 });
    expect(order.exceptions.map(({ id }) => id)).toEqual([73]);
    const arrives = (value: number, sku = "sertraline-50") =>
      addPatient(app, { partner: 1, patient: known, prescription: prescribed(sku, value, { refills: 1 }) });
    const orders = async (): Promise<Order[]> => {
      await fillDue(app.deps, app.demo.partners[1]!.account_id);
      return JSON.parse((await ask(app, `/orders?patient_id=${patient_id}`, undefined, { partner: 1 })).text).orders;
    };
    return { order, arrives, orders };
  }

  test("takes it on arrival: no second order is created, and this order uses its units", async () => {
    const { order, arrives, orders } = await waiting();
    const { prescription_id } = await arrives(90);
    const [now_is, ...more] = await orders();
    expect(more).toEqual([]);
    expect(now_is).toMatchObject({ order_number: order.order_number, order_status: "Processing", exceptions: [] });
    expect(now_is!.items).toMatchObject([{ prescription_id }]);
    expect(now_is!.medication_requests).toMatchObject([{ id: prescription_id, refills_left: 1 }]);
    const { rows } = await app.deps.db.raw(
      "select units_ordered::int as units_ordered, order_due_at from prescription where prescription_id = $1",
      [prescription_id],
    );
    expect(rows).toEqual([{ units_ordered: 90, order_due_at: null }]);
    expect((await workplace(app, 1).history(order)).at(-1)).toMatchObject({
      actor: "system",
      event: "resolve",
      to: "Processing",
      exception_id: 73,
    });
  });

  test("ignores a prescription for another medication or with too few units, which becomes its own order", async () => {
    const { order, arrives, orders } = await waiting();
    await arrives(90, "atorvastatin-20");
    await arrives(30);
    const made = await orders();
    expect(made).toHaveLength(3);
    const still = made.find(({ order_number }) => order_number === order.order_number)!;
    expect([still.order_status, still.exceptions.map(({ id }) => id)]).toEqual(["On Hold", [73]]);
    // The one for the same medication may be a duplicate, and creates a review entry.
    expect(made.map(({ exceptions }) => exceptions.map(({ id }) => id)).sort()).toEqual([[], [68], [73]]);
  });

  test("takes one if two arrive at once; the other becomes an order", async () => {
    const { order, arrives, orders } = await waiting();
    await Promise.all([arrives(90), arrives(90)]);
    await Promise.all(Array.from({ length: 10 }, orders));
    const made = await orders();
    expect(made).toHaveLength(2);
    const still = made.find(({ order_number }) => order_number === order.order_number)!;
    expect(still.exceptions).toEqual([]);
  });
});
