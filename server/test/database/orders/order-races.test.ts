import type { Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { partner } from "../../../src/domain/orders/order.ts";
import { tidy } from "../../../src/usecases/operations/tidy.ts";
import { cancelOrder } from "../../../src/usecases/orders/cancel-order.ts";
import { codesOf } from "../../support/conventions.ts";
import { footprint, newOrder, type OrderBody, orderOf, placed, post, prescribed } from "../../support/orders.ts";
import { addPatient, goodDocument, patientCalls, stranger } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const AT_ONCE = 50;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const rows = async (text: string, ...params: unknown[]) => (await app.deps.db.raw(text, params)).rows;
const account_id = () => app.demo.partners[0]!.account_id;
const range = (length: number) => Array.from({ length }, (_, index) => index);
const allAtOnce = (bodies: readonly unknown[], headers: (index: number) => Record<string, string> = () => ({})) =>
  Promise.all(bodies.map((body, index) => post(app, body, { headers: headers(index) })));
const numbered = (body: OrderBody, count = AT_ONCE) =>
  range(count).map((index) => ({ ...body, reference: `r-${index}` }));
const statuses = (answers: readonly { status: number }[]) => {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};
const made = (answers: readonly { status: number; body: unknown }[]) =>
  answers.filter(({ status }) => status === 201).map(({ body }) => body as Order);
const exceptionsOf = ({ exceptions }: Order) => exceptions.map(({ id }) => id);
const codes = (answers: readonly { status: number; text: string }[]) => [
  ...new Set(answers.filter(({ status }) => status === 422).flatMap(({ text }) => codesOf(text).map(([code]) => code))),
];
/** One more order than before, with its rows. */
const oneMore = (before: Record<string, unknown>, units: number) => ({
  orders: Number(before["orders"]) + 1,
  items: Number(before["items"]) + 1,
  history: Number(before["history"]) + 1,
  fingerprints: Number(before["fingerprints"]) + 1,
  stock_entries: Number(before["stock_entries"]) + 1,
  units_ordered: String(Number(before["units_ordered"]) + units),
  units_reserved: String(Number(before["units_reserved"]) + units),
});

describe("the same body", () => {
  test("fifty times at once creates one order; the others get its number", async () => {
    const { body } = await newOrder(app);
    const before = await footprint(app);
    const answers = await allAtOnce(range(AT_ONCE).map(() => body));
    expect(statuses(answers)).toEqual({ 201: 1, 409: AT_ONCE - 1 });
    const [order] = made(answers);
    for (const { status, body: told } of answers) {
      if (status === 409) expect(told.error).toMatchObject({ error_code: 409, order_number: order!.order_number });
    }
    expect(await footprint(app)).toMatchObject(oneMore(before, 90));
  });

  test("is the same in any order of its fields", async () => {
    const { body } = await newOrder(app);
    const { order_number } = await placed(app, body);
    const turned = Object.fromEntries(Object.entries(body).reverse());
    const { status, body: told } = await post(app, turned);
    expect([status, told.error.order_number]).toEqual([409, order_number]);
  });

  test("with fifty keys at once creates one order", async () => {
    const { body } = await newOrder(app);
    const answers = await allAtOnce(
      range(AT_ONCE).map(() => body),
      (index) => ({ "idempotency-key": `own-${index}` }),
    );
    expect(statuses(answers)).toEqual({ 201: 1, 409: AT_ONCE - 1 });
  });

  test("with one key fifty times at once creates one order, which is replayed or reported as in progress", async () => {
    const { body } = await newOrder(app);
    const before = await footprint(app);
    const headers = { "idempotency-key": "one-for-all" };
    const answers = await allAtOnce(
      range(AT_ONCE).map(() => body),
      () => headers,
    );
    expect(new Set(made(answers).map(({ order_number }) => order_number)).size).toBe(1);
    const fresh = answers.filter(({ status, headers }) => status === 201 && !headers.has("idempotent-replayed"));
    expect(fresh).toHaveLength(1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const again = await post(app, body, { headers });
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, fresh[0]!.text, "true"]);
    expect(await footprint(app)).toMatchObject(oneMore(before, 90));
  });

  test("with a known key is replayed even after the window; with another body the key is rejected", async () => {
    const { body } = await newOrder(app);
    const headers = { "idempotency-key": "kept" };
    const first = await post(app, body, { headers });
    app.advance(61_000);
    const again = await post(app, body, { headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
    const other = await post(app, { ...body, reference: "other" }, { headers });
    expect([other.status, codesOf(other.text)]).toEqual([422, [[42299, "Idempotency-Key"]]]);
  });

  test("that was rejected is not a duplicate: it wrote nothing, and runs again", async () => {
    const { body } = await newOrder(app);
    const headers = { "idempotency-key": "refused-first" };
    const wrong = { ...body, shipping: { method_id: 99 } };
    expect((await post(app, wrong, { headers })).status).toBe(422);
    expect((await post(app, wrong)).status).toBe(422);
    expect((await post(app, body, { headers })).status).toBe(201);
  });

  test("is a duplicate for a minute; later it creates an order, held by 68 while the earlier one is open", async () => {
    const { body } = await newOrder(app);
    const { order_number } = await placed(app, body);
    app.advance(50_000);
    expect((await post(app, body)).body.error.order_number).toBe(order_number);
    app.advance(10_001);
    const second = await placed(app, body);
    expect([second.order_status, exceptionsOf(second)]).toEqual(["On Hold", [68]]);
    // The window restarts with the body's last order.
    expect((await post(app, body)).body.error.order_number).toBe(second.order_number);
    for (const open of [order_number, second.order_number]) {
      await cancelOrder(app.deps, app.deps.db, { account_id: account_id(), order_number: open, actor: partner });
    }
    // Only a live order is in the way.
    const third = await placed(app, body);
    expect(exceptionsOf(third)).toEqual([]);
    expect((await post(app, body)).body.error.order_number).toBe(third.order_number);
  });

  test("is forgotten after a day, and not before", async () => {
    const { body } = await newOrder(app);
    const { order_number } = await placed(app, body);
    const known = async () =>
      (await rows("select from order_fingerprint where order_number = $1", order_number)).length;
    await tidy(app.deps);
    expect(await known()).toBe(1);
    await rows(
      "update order_fingerprint set created_at = now() - interval '1 day' where order_number = $1",
      order_number,
    );
    await tidy(app.deps);
    expect(await known()).toBe(0);
  });

  test("of another account is another order", async () => {
    const body = { shipping: { method_id: 1 }, items: [{ sku: "packaging-pouch" }] };
    const orders: Order[] = [];
    for (const partner of [0, 2]) {
      const { patient_id } = await newOrder(app, {
        partner,
        patient: { ids: [{ kind: "other", value: "same-id-1" }] },
      });
      orders.push(await placed(app, { ...body, patient: { patient_id } }, { partner }));
    }
    expect(orders[0]!.patient_id).toBe(orders[1]!.patient_id);
    expect(orders[0]!.order_number).not.toBe(orders[1]!.order_number);
  });
});

describe("different bodies at once", () => {
  test("never take more units than a prescription has, and each answer shows the units left after it", async () => {
    const fills = 10;
    const { body, prescription_id } = await newOrder(app, { prescription: { refills: fills - 1 } });
    const answers = await allAtOnce(numbered(body));
    expect(statuses(answers)).toEqual({ 201: fills, 422: AT_ONCE - fills });
    expect(codes(answers)).toEqual([42250]);
    const orders = made(answers);
    expect(orders.filter((order) => exceptionsOf(order).length === 0)).toHaveLength(1);
    expect(orders.filter((order) => exceptionsOf(order).includes(68))).toHaveLength(fills - 1);
    const left = orders.map(({ medication_requests: [request] }) => request!.refills_left);
    expect(left.sort((a, b) => b - a)).toEqual(range(fills).reverse());
    expect(
      await rows(
        "select units_ordered = units_authorized as all from prescription where prescription_id = $1",
        prescription_id,
      ),
    ).toEqual([{ all: true }]);
  });

  test("of different sizes: one that does not fit is 42255, or 42250 if nothing is left", async () => {
    const { body, prescription_id } = await newOrder(app, { prescription: { refills: 5 } });
    const sized = numbered(body).map((one, index) => ({
      ...one,
      items: [{ ...one.items[0], quantity: 1 + (index % 3), package_size: [30, 60, 90][index % 3] }],
    }));
    const answers = await allAtOnce(sized);
    const taken = made(answers).reduce((sum, { items: [item] }) => sum + item!.quantity * item!.package_size!, 0);
    const [row] = await rows(
      `select r.units_ordered::int, r.units_authorized::int,
        (select sum(i.units) from order_item i where i.prescription_id = r.prescription_id)::int as units
      from prescription r where r.prescription_id = $1`,
      prescription_id,
    );
    expect(row).toEqual({ units_ordered: taken, units_authorized: 540, units: taken });
    expect(taken).toBeLessThanOrEqual(540);
    expect(statuses(answers)[201]! + statuses(answers)[422]!).toBe(AT_ONCE);
    for (const code of codes(answers)) expect([42250, 42255]).toContain(code);
  });

  test("for two prescriptions of one medication: one is not held, the other is held by 68", async () => {
    for (let round = 0; round < 5; round++) {
      const known = stranger();
      const generic = await addPatient(app, { patient: known });
      const brand = await addPatient(app, { patient: known, prescription: prescribed("lipora-20", 90) });
      const answers = await allAtOnce([orderOf(generic), orderOf(brand)]);
      expect(made(answers).map(exceptionsOf).sort()).toEqual([[], [68]]);
    }
  });

  test("that each add details of one patient all take effect", async () => {
    const { patient_id } = await newOrder(app);
    const bodies = range(15).map((index) => ({
      shipping: { method_id: 1 },
      patient: { patient_id, identity_documents: [{ ...goodDocument, number: `D-${index}` }] },
      items: [{ sku: "packaging-pouch" }],
    }));
    expect(statuses(await allAtOnce(bodies))).toEqual({ 201: 15 });
    const { identity_documents } = await patientCalls(app, patient_id).read();
    expect(identity_documents).toHaveLength(15);
  });

  test("take the last units on the shelf once: the rest is 42253", async () => {
    const sku = "finasteride-1";
    await rows(
      "update stock set on_hand_units = reserved_units + 300 where account_id = $1 and sku = $2",
      account_id(),
      sku,
    );
    const bodies = await Promise.all(
      range(20).map(async () => (await newOrder(app, { prescription: prescribed(sku, 90) })).body),
    );
    const answers = await allAtOnce(bodies);
    expect([statuses(answers), codes(answers)]).toEqual([{ 201: 3, 422: 17 }, [42253]]);
    expect(await shelf(sku)).toEqual({ available: 30, entered: 270 });
  });

  test("take the last units on the shelf once: with back orders, the rest is held by 76", async () => {
    const sku = "minoxidil-2-5";
    await rows("update stock set on_hand_units = 200 where account_id = $1 and sku = $2", account_id(), sku);
    const bodies = await Promise.all(
      range(20).map(async () => (await newOrder(app, { prescription: prescribed(sku, 90) })).body),
    );
    const answers = await allAtOnce(bodies);
    const held = made(answers).map(exceptionsOf);
    expect([statuses(answers), held.filter((ids) => ids.includes(76)).length]).toEqual([{ 201: 20 }, 18]);
    expect(await shelf(sku)).toEqual({ available: 20, entered: 180 });
  });

  const shelf = async (sku: string) => {
    const [row] = await rows(
      `select (s.on_hand_units - s.reserved_units)::int as available,
        (select sum(e.units) from stock_entry e where e.account_id = $1 and e.sku = $2 and e.kind = 'reserved')::int as entered
      from stock s where s.account_id = $1 and s.sku = $2`,
      account_id(),
      sku,
    );
    return row;
  };
});

describe("the database itself rejects", () => {
  const refusals: Record<string, string> = {
    "more units than a prescription has": "update prescription set units_ordered = units_authorized + 1",
    "fewer units than none": "update prescription set units_ordered = -1",
    "more reserved than there is": "update stock set reserved_units = on_hand_units + 1",
    "a shelf below nothing": "update stock set on_hand_units = -1, reserved_units = -1",
    "a hold without a reason":
      "update orders set order_status = 'On Hold', stage = null, held_from = 'Filling/fill' where open_exceptions = 0",
    "a reason without a hold":
      "update orders set open_exceptions = 1, exception_ids = '{77}' where open_exceptions = 0",
    "a wrong count of reasons": "update orders set open_exceptions = 2 where open_exceptions = 1",
    "two free orders of one medication": "update order_item set alone = true where pending",
    "an item of nothing": "update order_item set quantity = 0",
    "an order number of any letters": "update orders set order_number = 'OILU000000'",
  };
  for (const [what, text] of Object.entries(refusals)) {
    test(what, async () => {
      await expect(app.deps.db.raw(text)).rejects.toMatchObject({ code: expect.stringMatching(/^(23514|23505)$/) });
    });
  }
});
