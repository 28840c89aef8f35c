import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrder } from "../../server/test/support/orders.ts";
import { startTestApp, type TestApp } from "../../server/test/support/test-app.ts";
import { Conflict, type OrderRequest, type PestleOptions } from "../src/index.ts";
import { clientOf, optionsOf } from "./support/client-of.ts";
import { failure } from "./support/failure.ts";
import { type Mishap, startFlakyProxy } from "./support/flaky-proxy.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

let number = 0;
/** A valid order with its own reference. */
async function orderRequest(more: Partial<OrderRequest> = {}): Promise<OrderRequest> {
  const { body } = await newOrder(app);
  return { reference: `sdk-${++number}`, ...(body as unknown as OrderRequest), ...more };
}

async function behind(mishaps: Mishap[], options: Partial<PestleOptions> = {}) {
  const proxy = await startFlakyProxy(optionsOf(app).base_url, mishaps);
  const pestle = clientOf(app, 0, { base_url: proxy.url, sleep: async () => {}, ...options });
  const posts = () => proxy.seen.filter(({ method }) => method === "POST").length;
  return { pestle, posts, seen: proxy.seen, stop: proxy.stop };
}
const ordersOf = async ({ patient }: OrderRequest) =>
  clientOf(app).orders.list({ patient_id: patient.patient_id }).take(10);

const inTheWay = { status: 409, body: { error: { error_code: 409, message: "In the way." } } };

test("the same order from another client is a Conflict that includes the existing order", async () => {
  const { pestle, posts, stop } = await behind([]);
  const order = await orderRequest();
  const { order_number } = await pestle.orders.create(order);
  const error = await failure(pestle.orders.create(order));
  expect(error).toBeInstanceOf(Conflict);
  expect(error).toMatchObject({ status: 409, order_number, order: { order_number, reference: order.reference } });
  expect(posts()).toBe(2);
  expect(await ordersOf(order)).toHaveLength(1);
  await stop();
});

test("a retry that overlaps its first attempt is not sent again: the SDK looks the order up until it exists and returns it", async () => {
  const { pestle, seen, posts, stop } = await behind(["overtaken"]);
  const order = await orderRequest();
  const placed = await pestle.orders.create(order);
  expect(await ordersOf(order)).toEqual([placed]);
  expect(posts()).toBe(1);
  const looks = seen.filter(({ url }) => url.startsWith("/v1/orders?"));
  expect(looks.map(({ url }) => url)).toEqual(
    Array(2).fill(`/v1/orders?patient_id=${placed.patient_id}&reference=${order.reference}`),
  );
  await stop();
});

test("without a reference the SDK recognizes the order by its patient and items", async () => {
  const { pestle, posts, stop } = await behind(["overtaken"]);
  const { reference: _none, ...order } = await orderRequest();
  const placed = await pestle.orders.create(order);
  expect(await ordersOf(order)).toEqual([placed]);
  expect(posts()).toBe(1);
  await stop();
});

test("if no order appears, the SDK reports the conflict and sends nothing twice", async () => {
  const { pestle, posts, seen, stop } = await behind([inTheWay], { retries: 2 });
  const order = await orderRequest();
  const error = await failure(pestle.orders.create(order));
  expect(error).toMatchObject({ name: "Conflict", order: undefined, order_number: undefined });
  expect([posts(), seen.length]).toEqual([1, 4]);
  expect(await ordersOf(order)).toEqual([]);
  await stop();
});

test("the SDK does not mistake an older order of the same patient and items for the new one", async () => {
  const order = await orderRequest();
  await clientOf(app).orders.create(order);
  const later = () => new Date(Date.now() + 3_600_000);
  const { pestle, stop } = await behind([inTheWay], { retries: 1, now: later });
  expect(await failure(pestle.orders.create(order))).toMatchObject({ name: "Conflict", order: undefined });
  await stop();
});

test("an order whose every answer was lost can be found by its request", async () => {
  const { pestle, stop } = await behind(["lost", "lost"], { retries: 1 });
  const order = await orderRequest();
  expect(await failure(pestle.orders.create(order))).toMatchObject({ name: "Unavailable" });
  expect(await pestle.orders.find(order)).toMatchObject({ reference: order.reference });
  expect(await pestle.orders.find(await orderRequest())).toBeUndefined();
  await stop();
});

test("a reorder that overlaps its first attempt is found too, and not confused with the original order", async () => {
  const order = await orderRequest();
  const { order_number } = await clientOf(app).orders.create(order);
  await clientOf(app).simulate.order({ order_number, to: "Delivered" });
  const { pestle, posts, stop } = await behind(["overtaken"]);
  const again = await pestle.orders.reorder(order_number);
  expect(again.order_number).not.toBe(order_number);
  expect(posts()).toBe(1);
  expect(await ordersOf(order)).toHaveLength(2);
  await stop();
});

test("an attempt without an answer times out, and the next one carries the same key", async () => {
  const { pestle, seen, stop } = await behind(["hang"], { attempt_timeout_ms: 500 });
  const order = await orderRequest();
  const placed = await pestle.orders.create(order);
  expect(await ordersOf(order)).toEqual([placed]);
  const keys = seen.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]);
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys).size).toBe(1);
  await stop();
});

test("a removal whose answer was lost succeeds, and a removal of nothing is NotFound", async () => {
  const { pestle, stop } = await behind([]);
  const { id } = await pestle.webhookEndpoints.create({ url: "http://127.0.0.1:1/hook", secret: "a secret" });
  const flaky = await behind(["lost"]);
  await flaky.pestle.webhookEndpoints.remove(id);
  expect(await failure(flaky.pestle.webhookEndpoints.remove(id))).toMatchObject({ name: "NotFound" });
  await Promise.all([stop(), flaky.stop()]);
});
