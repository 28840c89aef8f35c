import type { Order } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFunctions } from "../../../src/db/functions.ts";
import { readOrder } from "../../support/actions.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { ask } from "../../support/patient.ts";
import { allStatements } from "../../support/sql/all-statements.ts";
import { functionStatements } from "../../support/sql/function-statements.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const listed = async (query = "", partner = 0): Promise<Order[]> => {
  const { status, text } = await ask(app, `/orders${query}`, undefined, { partner });
  expect(status).toBe(200);
  return (JSON.parse(text) as { orders: Order[] }).orders;
};

/** Another process writes the rows, and tells this one nothing. */
const changes: Record<string, { text: string; expected: Partial<Order> | Record<string, unknown> }> = {
  orders: {
    text: "update orders set payment_status = 'captured' where order_number = $1",
    expected: { payment: { status: "captured" } },
  },
  order_item: {
    text: "update order_item set quantity = 7 where order_number = $1",
    expected: { items: [{ quantity: 7 }] },
  },
  prescription: {
    text: `update prescription set drug_name = 'renamed'
      where prescription_id = (select prescription_id from order_item where order_number = $1)`,
    expected: { medication_requests: [{ drug_name: "renamed" }] },
  },
  shipping_method: {
    text: `update shipping_method m set carrier = 'DHL'
      from orders o where o.order_number = $1 and m.account_id = o.account_id and m.id = o.shipping_method_id`,
    expected: { shipping: { carrier: "DHL" } },
  },
};

for (const [table, { text, expected }] of Object.entries(changes)) {
  test(`a read shows a change of ${table} by another process at once`, async () => {
    const { order_number } = await placed(app, (await newOrder(app)).body);
    // Twice, so that the second comes from memory.
    expect(await readOrder(app, order_number)).toEqual(await readOrder(app, order_number));
    expect((await listed())[0]).toEqual(await readOrder(app, order_number));
    await app.owner.raw(text, [order_number]);
    expect(await readOrder(app, order_number)).toMatchObject(expected);
    expect((await listed())[0]).toMatchObject({ order_number, ...expected });
  });
}

test("an order that another one uses the same prescription for shows the refills that are left", async () => {
  const { body } = await newOrder(app, { prescription: { refills: 3 } });
  const first = await placed(app, body);
  await readOrder(app, first.order_number);
  const second = await placed(app, { ...body, reference: "another" });
  const [left] = (await readOrder(app, first.order_number)).medication_requests;
  expect(left!.refills_left).toBe(second.medication_requests[0]!.refills_left);
  expect(left!.refills_left).not.toBe(first.medication_requests[0]!.refills_left);
});

test("a deleted order is gone, and another account never gets an order from memory", async () => {
  const { order_number } = await placed(app, (await newOrder(app)).body);
  await readOrder(app, order_number);
  expect((await ask(app, `/orders/${order_number}`, undefined, { partner: 1 })).status).toBe(404);
  expect((await listed("", 1)).map((order) => order.order_number)).not.toContain(order_number);
});

test("every statement that writes an exception or a shipment that answers show also writes the order", async () => {
  /** They change columns that no answer shows. */
  const unseen = [/set next_scan_at =/, /set basis =/];
  // The statements of a function commit together.
  const functions = readFunctions().map(({ text }) => text.replaceAll(/--[^\n]*/g, "").replaceAll(/\s+/g, " "));
  const inside = new Set((await allStatements()).slice(-functionStatements().length));
  const alone = (await allStatements()).filter((text) => !inside.has(text));
  const writing = [...alone, ...functions].filter((text) =>
    /\b(?:insert into|update|delete from) (?:order_exception|shipment)\b/.test(text),
  );
  expect(writing.length).toBeGreaterThan(1);
  for (const text of writing) {
    if (unseen.some((pattern) => pattern.test(text))) continue;
    expect(text).toMatch(/\b(?:insert into|update|delete from) orders\b/);
  }
});
