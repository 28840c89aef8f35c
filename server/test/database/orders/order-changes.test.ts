import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settleUnpaid } from "../../../src/usecases/orders/settle-payment.ts";
import { codesOf } from "../../support/conventions.ts";
import { prescribed } from "../../support/orders.ts";
import { addPatient, ask, goodAddress, stranger } from "../../support/patient.ts";
import { storedEvents } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const body = (patient_id: string, prescription_id: number) => ({
  shipping: { method_id: 1 },
  patient: { patient_id },
  items: [{ prescription_id, quantity: 1, package_size: 90 }],
});
async function order(given: Parameters<typeof addPatient>[1] = {}, change: object = {}, item: object = {}) {
  const { patient_id, prescription_id } = await addPatient(app, { patient: stranger(), ...given });
  const { items, ...rest } = body(patient_id, prescription_id);
  const made = await ask(app, "/orders", { ...rest, items: items.map((one) => ({ ...one, ...item })), ...change });
  return { status: made.status, ...JSON.parse(made.text) };
}
const put = (order_number: string, address: object) =>
  ask(app, `/orders/${order_number}/shipping_address`, address, { method: "PUT" });
const eventsOf = async (order_number: string) =>
  (await storedEvents(app.deps, "where order_number = $1 order by created_at", [order_number])).map(
    ({ event_type, body }) => ({ event_type, ...JSON.parse(body) }),
  );
const historyOf = async (order_number: string) =>
  JSON.parse((await ask(app, `/orders/${order_number}/history`)).text).history.map(
    ({ event, from, to, exception_id }: Record<string, unknown>) => [event, from, to, exception_id],
  );
/** As the lifecycle does it: shipped, its items no longer pending. */
async function ship(order_number: string) {
  await app.deps.db.raw("update orders set order_status = 'Shipped', stage = null where order_number = $1", [
    order_number,
  ]);
  await app.deps.db.raw("update order_item set pending = false where order_number = $1", [order_number]);
}

describe("PUT shipping_address", () => {
  test("redirects an order, and the order shows the new address", async () => {
    const { order_number } = await order();
    const answer = await put(order_number, goodAddress);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).address).toMatchObject({ street1: goodAddress.street1, zip: goodAddress.zip });
    const read = JSON.parse((await ask(app, `/orders/${order_number}`)).text);
    expect(read).toEqual(JSON.parse(answer.text));
  });

  test("on a held order closes the exceptions that the address resolves, and the order returns to its previous stage", async () => {
    const held = await order({ patient: { ...stranger(), address: null } });
    expect([held.order_status, held.exception.id]).toEqual(["On Hold", 66]);
    const answer = JSON.parse((await put(held.order_number, goodAddress)).text);
    expect([answer.order_status, answer.exceptions]).toEqual(["Processing", []]);
    expect(await historyOf(held.order_number)).toEqual([
      ["resolve", "On Hold", "Processing", 66],
      ["raise_exception", "On Hold", "On Hold", 66],
      ["create", null, "On Hold", 66],
    ]);
    const events = await eventsOf(held.order_number);
    expect(events.map(({ event_type, sequence }) => [event_type, sequence])).toEqual([
      ["RX_UPDATED", 1],
      ["ORDER_UPDATED", 1],
      ["ORDER_EXCEPTION", 1],
      ["RX_UPDATED", 2],
      ["ORDER_UPDATED", 2],
    ]);
    expect(events.at(-1)).toMatchObject({ order_status: "Processing", previous_order_status: "On Hold" });
  });

  test("rejects with the fields' codes, and rejects orders that shipped or are controlled", async () => {
    const { order_number } = await order();
    expect(codesOf((await put(order_number, { ...goodAddress, zip: "10001" })).text)).toEqual([[42227, "zip"]]);
    const box = { ...goodAddress, street1: "PO Box 12" };
    await app.deps.db.raw("update orders set shipping_method_id = 3 where order_number = $1", [order_number]);
    expect(codesOf((await put(order_number, box)).text).map(([code]) => code)).toEqual([42293]);
    await ship(order_number);
    expect(codesOf((await put(order_number, goodAddress)).text)).toEqual([[42228, "address"]]);
    expect((await put("0000000000", goodAddress)).status).toBe(404);
  });
});

test("an address of an open order cannot be removed; after it ships, it can", async () => {
  const { order_number, patient_id } = await order();
  const { addresses } = JSON.parse((await ask(app, `/patients/${patient_id}`)).text);
  const remove = () =>
    ask(app, `/patients/${patient_id}/shipping_address/${addresses[0].address_id}`, undefined, { method: "DELETE" });
  expect(codesOf((await remove()).text)).toEqual([[42228, "address"]]);
  await ship(order_number);
  expect((await remove()).status).toBe(204);
});

describe("a patient who pays", () => {
  test("is charged after the order is saved; if declined, the answer shows exception 80, and a replay shows the same", async () => {
    const good = await order({}, { payment: { payer: "patient", token: "tok_visa" } });
    expect(good.payment).toMatchObject({ payer: "patient", status: "authorized" });
    const { patient_id, prescription_id } = await addPatient(app, { patient: stranger() });
    const declined = { ...body(patient_id, prescription_id), payment: { payer: "patient", token: "tok_declined" } };
    const headers = { "idempotency-key": "declined-once" };
    const first = await ask(app, "/orders", declined, { headers });
    const shown = JSON.parse(first.text);
    expect([first.status, shown.order_status, shown.exception.id, shown.payment.status]).toEqual([
      201,
      "On Hold",
      80,
      "declined",
    ]);
    expect((await ask(app, "/orders", declined, { headers })).text).toBe(first.text);
    expect(await historyOf(shown.order_number)).toEqual([
      ["raise_exception", "Processing", "On Hold", 80],
      ["create", null, "Processing", null],
    ]);
  });

  test("whose payment was never requested because the process ended is charged by a job", async () => {
    const made = await order({}, { payment: { payer: "patient", token: "tok_visa" } });
    await app.deps.db.raw("update orders set payment_status = 'pending' where order_number = $1", [made.order_number]);
    app.advance(31_000);
    await settleUnpaid(app.deps);
    expect(JSON.parse((await ask(app, `/orders/${made.order_number}`)).text).payment.status).toBe("authorized");
  });
});

describe("a reorder", () => {
  test("copies a shipped order, takes new units, and is a new fill with the same checks", async () => {
    const first = await order({}, { reference: "r-1" });
    expect(codesOf((await ask(app, `/orders/${first.order_number}/reorders`, {})).text)).toEqual([
      [42463, "order_number"],
    ]);
    await ship(first.order_number);
    // Without fields, the body is optional.
    const answer = await ask(app, `/orders/${first.order_number}/reorders`, undefined, { method: "POST" });
    expect(answer.status).toBe(201);
    const again = JSON.parse(answer.text);
    expect(again).toMatchObject({
      reference: "r-1",
      address: first.address,
      shipping: first.shipping,
      order_status: "Processing",
      medication_requests: [{ refills_left: 2 }],
    });
    expect(again.order_number).not.toBe(first.order_number);
    const changed = await ask(app, `/orders/${first.order_number}/reorders`, { shipping: { method_id: 3 } });
    expect(JSON.parse(changed.text)).toMatchObject({ shipping: { method_id: 3 }, exception: { id: 68 } });
  });

  test("copies what a new order might not contain: a name from a prescription, a fill as written", async () => {
    const prescription = prescribed("semaglutide-pen", 9);
    const first = await order(
      { patient: { ...stranger(), first_name: "Ada 3rd" }, prescription },
      { shipping: { method_id: 4 } },
      { package_size: undefined },
    );
    expect(first.items).toMatchObject([{ quantity: 1, package_size: 9 }]);
    await ship(first.order_number);
    const again = await ask(app, `/orders/${first.order_number}/reorders`, {});
    expect(again.status).toBe(201);
    expect(JSON.parse(again.text)).toMatchObject({ address: first.address, items: [{ quantity: 1, package_size: 9 }] });
  });
});
