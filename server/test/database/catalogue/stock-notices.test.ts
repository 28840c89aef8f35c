import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHANNEL, type Database } from "../../../src/db/db.ts";
import { partner } from "../../../src/domain/orders/order.ts";
import { cancelOrder } from "../../../src/usecases/orders/cancel-order.ts";
import { placeOrder } from "../../../src/usecases/orders/place-order.ts";
import { prepareOrder } from "../../../src/usecases/orders/prepare-order.ts";
import { newOrder, prescribed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const SKU = "minoxidil-2-5";

let app: TestApp;
let listener: pg.Client;
let account_id: string;
let heard: string[] = [];
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  ({ account_id } = app.demo.partners[0]!);
  // Another process, from the database's view.
  listener = await app.deps.db.connect();
  listener.on("notification", ({ payload }) => heard.push(payload!));
  await listener.query(`listen ${CHANNEL}`);
});
afterAll(async () => {
  await listener.end();
  await app.stop();
});

/** What a call notified about the catalogue; PostgreSQL delivers notifications before the next answer. */
async function notified(call: () => Promise<unknown>): Promise<unknown[]> {
  await listener.query("select 1");
  heard = [];
  await call();
  await listener.query("select 1");
  return heard.map((payload) => JSON.parse(payload)).filter(({ kind }) => kind === "catalogue");
}
/** Dies right after the statement that saves an order or a change: nothing after it runs. */
const killedAfterSave = (): Database => ({
  ...app.deps.db,
  async row(statement, params) {
    const row = await app.deps.db.row(statement, params);
    if (statement.announces) throw new Error("killed");
    return row;
  },
});
const available = (units: number) =>
  app.deps.db.raw("update stock set on_hand_units = reserved_units + $3 where account_id = $1 and sku = $2", [
    account_id,
    SKU,
    units,
  ]);
async function orderThenDie(): Promise<void> {
  const { body } = await newOrder(app, { prescription: prescribed(SKU, 90) });
  const now = app.deps.now();
  const orderer = { account_id, environment: "sandbox" as const, clock_offset_s: 0 };
  const prepared = await prepareOrder(app.deps, orderer, body, () => JSON.stringify(body), now);
  await expect(placeOrder(app.deps, killedAfterSave(), prepared, now)).rejects.toThrow("killed");
}
async function cancelThenDie(): Promise<void> {
  const { rows } = await app.deps.db.raw(
    "select order_number from orders where account_id = $1 and order_status <> 'Canceled' order by order_position desc limit 1",
    [account_id],
  );
  const order_number = String(rows[0]!["order_number"]);
  const canceled = cancelOrder(app.deps, killedAfterSave(), { account_id, order_number, actor: partner });
  await expect(canceled).rejects.toThrow("killed");
}

test("an order that takes the last units notifies all processes with its commit, even if its process dies then", async () => {
  await available(90);
  expect(await notified(orderThenDie)).toEqual([{ kind: "catalogue", account_id }]);
});

test("an order that brings a product back into stock notifies all processes with its commit", async () => {
  await available(90);
  await orderThenDie();
  expect(await notified(cancelThenDie)).toEqual([{ kind: "catalogue", account_id }]);
});

test("orders that leave the product in stock, and their cancelation, notify no process", async () => {
  await available(1_000);
  expect(await notified(orderThenDie)).toEqual([]);
  expect(await notified(cancelThenDie)).toEqual([]);
});

test("the process that saved the order drops its own copy before its next answer", async () => {
  const inStock = async () => {
    const [product] = (await (await app.call(`/products?sku[]=${SKU}`)).json()) as { in_stock: boolean }[];
    return product?.in_stock;
  };
  for (let number = 0; number < 10; number++) {
    await available(90);
    app.deps.copies.catalogues.clear();
    expect(await inStock()).toBe(true);
    await orderThenDie();
    expect(await inStock()).toBe(false);
  }
});
