import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../server/test/support/test-app.ts";
import { Conflict, PestleError, Unavailable } from "../src/index.ts";
import { waitBefore } from "../src/transport.ts";
import { clientOf, optionsOf } from "./support/client-of.ts";
import { failure } from "./support/failure.ts";
import { type Mishap, startFlakyProxy } from "./support/flaky-proxy.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** A client behind a flaky proxy. Records its waits, which take no time. */
async function behind(
  mishaps: Mishap[],
  options: { deadline_ms?: number; retries?: number; random?: () => number } = {},
) {
  const proxy = await startFlakyProxy(optionsOf(app).base_url, mishaps);
  const waits: number[] = [];
  let now_ms = Date.now();
  const pestle = clientOf(app, 0, {
    base_url: proxy.url,
    now: () => new Date(now_ms),
    random: () => 0.5,
    sleep: async (ms) => {
      waits.push(ms);
      now_ms += ms;
    },
    ...options,
  });
  return { pestle, waits, mishaps, seen: proxy.seen, stop: proxy.stop };
}

const broken = { status: 503, body: { error: { error_code: 503, message: "Later." } } };

test.each<[string, Mishap]>([
  ["a 503", broken],
  [
    "a 503 that a proxy wrote in HTML",
    { status: 503, headers: { "content-type": "text/html" }, body: "<h1>Oops</h1>" },
  ],
  ["a 429", { status: 429 }],
  ["a connection that breaks", "reset"],
])("the client retries %s", async (_case, mishap) => {
  const { pestle, waits, seen, stop } = await behind([mishap, mishap, mishap]);
  expect(await pestle.brands()).toHaveLength(2);
  expect(seen).toHaveLength(4);
  expect(waits).toEqual([150, 300, 600]);
  await stop();
});

test("every retry of a POST carries the same key and the same bytes", async () => {
  const { pestle, seen, stop } = await behind([broken, "reset", { status: 429 }]);
  await pestle.simulate.clock({ advance_seconds: 60 });
  await pestle.simulate.clock({ advance_seconds: 60 });
  const keys = seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys.slice(0, 4)).toEqual(Array(4).fill(keys[0]));
  expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(keys[4]).not.toBe(keys[0]);
  expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
  expect(seen.every(({ headers }) => headers.accept === "application/json")).toBe(true);
  await stop();
});

test("a POST whose answer was lost takes effect once", async () => {
  const { pestle, seen, stop } = await behind(["lost", "lost"]);
  const direct = clientOf(app);
  const clock = async () => Date.parse((await direct.simulate.clock({ advance_seconds: 1 })).now);
  const before = await clock();
  await pestle.simulate.clock({ advance_seconds: 86_400 });
  expect(seen).toHaveLength(3);
  const moved_ms = (await clock()) - before;
  expect(moved_ms).toBeGreaterThanOrEqual(86_400_000);
  expect(moved_ms).toBeLessThan(2 * 86_400_000);
  await stop();
});

test("reads have no key", async () => {
  const { pestle, seen, stop } = await behind([]);
  await pestle.brands();
  expect(seen[0]!.headers).not.toHaveProperty("idempotency-key");
  await stop();
});

test("the client honors Retry-After, in seconds and as a date", async () => {
  const date = new Date(Date.now() + 9_000).toUTCString();
  const { pestle, waits, stop } = await behind([
    { status: 429, headers: { "retry-after": "2" } },
    { status: 503, headers: { "retry-after": date } },
  ]);
  await pestle.brands();
  expect(waits[0]).toBe(2_050);
  // By then two seconds have passed on the client's clock.
  expect(waits[1]).toBeGreaterThanOrEqual(5_000);
  expect(waits[1]).toBeLessThanOrEqual(7_200);
  await stop();
});

test("waits double up to five seconds, half of each at random, and are never shorter than Retry-After", () => {
  expect([0, 1, 2, 3, 4, 5, 9].map((attempt) => waitBefore(attempt, undefined, 0))).toEqual([
    100, 200, 400, 800, 1600, 2500, 2500,
  ]);
  expect(waitBefore(3, undefined, 1)).toBe(1600);
  for (const chance of [0, 0.5, 1]) expect(waitBefore(0, 3, chance)).toBeGreaterThanOrEqual(3000);
});

test("after the last retry the caller gets the answer", async () => {
  const { pestle, seen, stop } = await behind(Array(9).fill(broken), { retries: 2 });
  const error = await failure(pestle.brands());
  expect(error).toBeInstanceOf(Unavailable);
  expect(error).toMatchObject({ status: 503, message: "Later." });
  expect(seen).toHaveLength(3);
  await stop();
});

test("by default the client retries until the deadline", async () => {
  const { pestle, waits, stop } = await behind(Array(99).fill(broken));
  expect(await failure(pestle.brands())).toMatchObject({ status: 503 });
  const waited_ms = waits.reduce((sum, ms) => sum + ms, 0);
  // The next wait, of at most 5 s, would have ended after the 30 s.
  expect(waited_ms).toBeGreaterThan(25_000);
  expect(waited_ms).toBeLessThan(30_000);
  await stop();
});

test("the client does not start a wait that exceeds the deadline", async () => {
  const { pestle, waits, stop } = await behind([{ status: 429, headers: { "retry-after": "60" } }]);
  expect(await failure(pestle.brands())).toMatchObject({ name: "RateLimited", retry_after_s: 60 });
  expect(waits).toEqual([]);
  await stop();
});

test("a call to a server that never answers ends at the deadline", async () => {
  const { pestle, mishaps, seen, stop } = await behind([]);
  await pestle.brands();
  mishaps.push("hang");
  const error = await failure(pestle.brands({ deadline_ms: 50 }));
  expect(error).toBeInstanceOf(Unavailable);
  expect(error).toMatchObject({
    status: undefined,
    message: expect.stringMatching(/^No answer came from http:\/\/127\.0\.0\.1:\d+ before the deadline\.$/),
  });
  expect(seen).toHaveLength(2);
  await stop();
});

test("a refused connection is Unavailable, with its cause", async () => {
  const { pestle, stop } = await behind([]);
  await pestle.brands();
  await stop();
  const error = await failure(pestle.brands());
  expect(error).toBeInstanceOf(Unavailable);
  expect(error).toMatchObject({
    status: undefined,
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\)\.$/),
  });
  expect((error as Error).cause).toBeInstanceOf(Error);
});

test("the caller's signal ends the call with the caller's reason", async () => {
  const { pestle, seen, stop } = await behind(["hang"]);
  const controller = new AbortController();
  const call = failure(pestle.brands({ signal: controller.signal }));
  await expect.poll(() => seen.length).toBe(1);
  const reason = new Error("the user left");
  controller.abort(reason);
  expect(await call).toBe(reason);
  expect(await failure(pestle.brands({ signal: controller.signal }))).toBe(reason);
  expect(seen).toHaveLength(1);
  await stop();
});

test("the caller's signal also ends a wait", async () => {
  const proxy = await startFlakyProxy(optionsOf(app).base_url, [{ status: 503, headers: { "retry-after": "20" } }]);
  const controller = new AbortController();
  const call = failure(clientOf(app, 0, { base_url: proxy.url }).brands({ signal: controller.signal }));
  await expect.poll(() => proxy.seen.length).toBe(1);
  const reason = new Error("the user left");
  controller.abort(reason);
  expect(await call).toBe(reason);
  await proxy.stop();
});

test.each<[string, Exclude<Mishap, string>, object]>([
  ["500", { status: 500 }, { name: "PestleError", status: 500 }],
  ["404", { status: 404 }, { name: "NotFound" }],
  ["422", { status: 422, body: { errors: [] } }, { name: "RequestRefused", errors: [] }],
  ["a redirect", { status: 307, headers: { location: "/elsewhere" } }, { name: "PestleError", status: 307 }],
  ["an answer that is not JSON", { status: 200, body: "<html>" }, { name: "PestleError", status: 200 }],
])("the client does not retry %s", async (_case, mishap, expected) => {
  const { pestle, seen, stop } = await behind([mishap]);
  expect(await failure(pestle.brands())).toMatchObject(expected);
  expect(seen).toHaveLength(1);
  await stop();
});

test("the client does not resend after a 409, and the error names the earlier order", async () => {
  const error_409 = { error_code: 409, message: "Check that it is not a duplicate.", order_number: "7K2M9XQ4TB" };
  const { pestle, seen, stop } = await behind([{ status: 409, body: { error: error_409 } }]);
  const error = await failure(pestle.request("POST", "/orders", { body: {} }));
  expect(error).toBeInstanceOf(Conflict);
  expect(error).toBeInstanceOf(PestleError);
  expect(error).toMatchObject({ order_number: "7K2M9XQ4TB", message: "Check that it is not a duplicate." });
  expect(seen).toHaveLength(1);
  await stop();
});

test("no error contains a secret or the request body", async () => {
  const mishaps: Mishap[] = [{ status: 422, body: { errors: [] } }, { status: 500 }, "reset"];
  const { pestle, stop } = await behind(mishaps, { retries: 0 });
  for (let i = 0; i < 3; i++) {
    const error = (await failure(pestle.request("POST", "/orders", { body: { dob: "1980-02-29" } }))) as Error;
    const told = JSON.stringify([error, error.message, error.stack, String(error.cause)]);
    for (const secret of ["1980-02-29", optionsOf(app).client_secret, "Bearer"]) expect(told).not.toContain(secret);
  }
  await stop();
});
