import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../chaos/random.ts";
import { judge, orderThroughBadNetwork } from "../../chaos/sdk.ts";
import { faultNames } from "../../chaos/sdk-proxy.ts";
import { startTestApp, type TestApp } from "../../server/test/support/test-app.ts";

// A small run of the campaign: `npm run campaign -- sdk` runs it at full size in a separate process.
const ORDERS = 80;
const TIMEOUT_MS = 300_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test("through a network that drops, delays, doubles and resets, the SDK places each order exactly once", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { db, vault } = app.deps;
  const given = { demo: app.demo, db, vault, count: ORDERS, random: seededRandom(8) };
  const { faults, network, ...tally } = await orderThroughBadNetwork(given);
  expect(faults).toEqual([]);
  expect(tally).toMatchObject({ placed: ORDERS, orders_by_api: ORDERS, orders_by_database: ORDERS });
  // Every kind of network failure occurred.
  expect(Object.keys(network).sort()).toEqual([...faultNames].sort());
});

test("the campaign detects an order that is doubled, lost, held, unknown, or not the one that the SDK returned", () => {
  const order = (reference: string, order_number: string, order_status = "Processing") =>
    ({ reference, order_number, order_status }) as Parameters<typeof judge>[1][number];
  const told = new Map([["a", "A"]]);
  expect(judge(told, [order("a", "A")], 1)).toEqual([]);
  expect(judge(told, [], 1)).toEqual(["0 orders and not 1", "a is not there"]);
  expect(judge(told, [order("a", "A"), order("a", "B")], 1)).toEqual(["2 orders and not 1", "a is there 2 times"]);
  expect(judge(told, [order("a", "B")], 1)).toEqual(["a is another order than the SDK returned"]);
  expect(judge(told, [order("a", "A", "On Hold")], 1)).toEqual(["a is On Hold"]);
  expect(judge(told, [order("a", "A"), order("b", "B")], 2)).toEqual(["b was never told"]);
});
