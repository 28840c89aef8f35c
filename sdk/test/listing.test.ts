import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrder } from "../../server/test/support/orders.ts";
import { startTestApp, type TestApp } from "../../server/test/support/test-app.ts";
import type { OrderRequest } from "../src/index.ts";
import { clientOf, optionsOf } from "./support/client-of.ts";
import { failure } from "./support/failure.ts";
import { startFlakyProxy } from "./support/flaky-proxy.ts";

let app: TestApp;
const made: string[] = [];
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  for (let number = 0; number < 5; number++) {
    const { body } = await newOrder(app);
    made.unshift((await clientOf(app).orders.create(body as unknown as OrderRequest)).order_number);
  }
});
afterAll(() => app.stop());

test("a loop over a list returns every record once, for any page size", async () => {
  const { orders } = clientOf(app);
  for (const limit of [1, 2, 5, 200]) {
    const seen: string[] = [];
    for await (const { order_number } of orders.list({ limit })) seen.push(order_number);
    expect(seen).toEqual(made);
  }
});

test("the loop requests no more pages than the program reads", async () => {
  const proxy = await startFlakyProxy(optionsOf(app).base_url);
  const list = clientOf(app, 0, { base_url: proxy.url }).orders.list({ limit: 2 });
  expect(proxy.seen).toHaveLength(0);
  expect((await list.take(3)).map(({ order_number }) => order_number)).toEqual(made.slice(0, 3));
  expect(proxy.seen).toHaveLength(2);
  expect(await list.take(0)).toEqual([]);
  const { orders, next_cursor } = await list.firstPage();
  expect([orders.length, typeof next_cursor]).toEqual([2, "string"]);
  const sizes: number[] = [];
  for await (const page of list.pages()) sizes.push(page.orders.length);
  expect(sizes).toEqual([2, 2, 1]);
  expect(proxy.seen).toHaveLength(2 + 1 + 3);
  await proxy.stop();
});

test("a program that follows the feed gets each event once, resumes where it stopped, and survives an outage", async () => {
  const proxy = await startFlakyProxy(optionsOf(app).base_url);
  const { events, simulate } = clientOf(app, 0, { base_url: proxy.url, retries: 0 });
  const all = (await events.list().take(1_000)).map(({ event_id }) => event_id);

  const seen: string[] = [];
  let saved: string | undefined;
  for await (const { events: some, cursor } of events.follow({ limit: 4 })) {
    seen.push(...some.map(({ event_id }) => event_id));
    saved = cursor;
    if (seen.length >= 8) break;
  }
  const stop = new AbortController();
  const expected = new Set(all);
  proxy.mishaps.push("reset", { status: 503 }, { status: 429 });
  let told: string | undefined;
  for await (const { events: some } of events.follow({ limit: 4, cursor: saved, signal: stop.signal, poll_ms: 1 })) {
    seen.push(...some.map(({ event_id }) => event_id));
    if (told === undefined && seen.length >= all.length) {
      told = (await simulate.event({ event_type: "RX_RECEIVED", medication_requests: [] })).event_id;
      expected.add(told);
    }
    if (told !== undefined && seen.includes(told)) stop.abort();
  }
  expect(seen).toEqual([...expected]);
  await proxy.stop();
});

test("an invalid request for the feed ends with the error", async () => {
  const { events } = clientOf(app);
  expect(await failure(events.follow({ cursor: "nonsense" }).next())).toMatchObject({ name: "RequestRefused" });
});

test("the client answers an unchanged read from its cache, and a changed one from the server", async () => {
  const proxy = await startFlakyProxy(optionsOf(app).base_url);
  const pestle = clientOf(app, 0, { base_url: proxy.url, keep_answers: 2 });
  const order_number = made[0]!;
  const first = await pestle.orders.get(order_number);
  first.order_status = "Canceled";
  const unchanged = await pestle.request("GET", `/v1/orders/${order_number}`);
  expect([unchanged.status, unchanged.body]).toEqual([304, await pestle.orders.get(order_number)]);
  expect(unchanged.body).toMatchObject({ order_status: "Processing" });
  await pestle.orders.hold(order_number);
  expect(await pestle.orders.get(order_number)).toMatchObject({ order_status: "On Hold" });
  // Two other entries evict it.
  await Promise.all([pestle.brands(), pestle.shippingMethods()]);
  await pestle.orders.get(order_number);
  const conditions = proxy.seen
    .filter(({ url }) => url === `/v1/orders/${order_number}`)
    .map(({ headers }) => headers["if-none-match"] !== undefined);
  expect(conditions).toEqual([false, true, true, true, false]);
  await proxy.stop();
});

test("the client caches nothing by default", async () => {
  const proxy = await startFlakyProxy(optionsOf(app).base_url);
  const pestle = clientOf(app, 0, { base_url: proxy.url });
  await pestle.brands();
  await pestle.brands();
  expect(proxy.seen.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, undefined]);
  await proxy.stop();
});
