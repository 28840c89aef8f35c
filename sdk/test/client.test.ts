import { errorDocUrl, orderActions, orderStatusReasons } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../server/test/support/test-app.ts";
import { createPestle, NotFound, PestleError, RateLimited, RequestRefused } from "../src/index.ts";
import { clientOf, optionsOf } from "./support/client-of.ts";
import { failure } from "./support/failure.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  // With a low rate of its own, even a slow machine sends faster than partner 1 may.
  const { account_id } = app.demo.partners[1]!;
  await app.deps.db.raw("update account set rate_per_second = 2, rate_burst = 20 where account_id = $1", [account_id]);
});
afterAll(() => app.stop());

test("the client reads the catalogue of a sandbox and of a production account", async () => {
  for (const partner of [0, 2]) {
    const pestle = clientOf(app, partner);
    const [methods, brands, products] = await Promise.all([
      pestle.shippingMethods(),
      pestle.brands(),
      pestle.products(),
    ]);
    expect(methods[0]).toMatchObject({ id: 1, transit_days: { min: 3, max: 5 } });
    expect(brands.filter((brand) => brand.default)).toHaveLength(1);
    expect(products.map(({ sku }) => sku)).toContain("atorvastatin-20");
  }
});

test("order actions and status reasons are the contract's tables", async () => {
  const pestle = clientOf(app);
  expect(await pestle.orderActions()).toEqual(orderActions);
  expect(await pestle.orderStatusReasons()).toEqual(orderStatusReasons);
});

test("a product search returns the products that match any of the given values", async () => {
  const pestle = clientOf(app);
  const found = await pestle.products({ ndc: ["70999010130", "70999020130"], sku: ["pill-organizer"], gcn: ["90501"] });
  expect(found.map(({ sku }) => sku).sort()).toEqual([
    "atorvastatin-20",
    "pill-organizer",
    "sertraline-50",
    "sildenafil-50",
  ]);
});

test("a product search with empty lists finds none and sends no request", async () => {
  const fetch = () => Promise.reject(new Error("asked"));
  expect(await clientOf(app, 0, { fetch }).products({ ndc: [], sku: [] })).toEqual([]);
});

test("each simulation gets its own key, and the same key moves the clock once", async () => {
  const pestle = clientOf(app);
  const move = async (idempotency_key?: string) =>
    Date.parse(
      (await pestle.simulate.clock({ advance_seconds: 3600 }, idempotency_key ? { idempotency_key } : {})).now,
    );
  const first = await move("one-key");
  expect(await move("one-key")).toBe(first);
  const [second, third] = [await move(), await move()];
  expect(second - first).toBeGreaterThanOrEqual(3_600_000);
  expect(third - second).toBeGreaterThanOrEqual(3_600_000);
});

test("a low-level request returns status, headers and request id", async () => {
  const pestle = clientOf(app);
  const answer = await pestle.request<{ brands: unknown[] }>("GET", "/brands");
  expect(answer).toMatchObject({ status: 200, request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(answer.body.brands).toHaveLength(2);
  const unchanged = await pestle.request("GET", "/brands", {
    headers: { "if-none-match": answer.headers.get("etag")! },
  });
  expect(unchanged).toMatchObject({ status: 304, body: undefined });
  const options = { body: { simulation_type: "clock", simulation: { advance_seconds: 1 } }, idempotency_key: "low" };
  await pestle.request("POST", "/v1/simulate", options);
  const replayed = await pestle.request("POST", "/v1/simulate", options);
  expect(replayed.headers.get("idempotent-replayed")).toBe("true");
});

test("a rejected request names every problem by code and field", async () => {
  const pestle = clientOf(app);
  const error = await failure(pestle.simulate.clock({ advance_seconds: -1 }));
  expect(error).toBeInstanceOf(RequestRefused);
  expect(error).toMatchObject({
    name: "RequestRefused",
    status: 422,
    message: "42200 Invalid Parameter",
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    errors: [{ code: 42200, error_detail: [{ field: "simulation.advance_seconds", message: expect.any(String) }] }],
    doc_url: errorDocUrl(app.addresses.base_url, 42200),
    fields: [{ code: 42200, field: "simulation.advance_seconds", problem: "not_allowed" }],
  });
  const query = await failure(pestle.request("GET", "/orders", { query: { patientid: "ay87nt" } }));
  const doc_url = errorDocUrl(app.addresses.base_url, 40003);
  expect(query).toMatchObject({
    name: "RequestRefused",
    status: 400,
    fields: [{ code: 40003, field: "patientid", problem: "unknown_field", did_you_mean: "patient_id", doc_url }],
  });
});

test("a key that was used with another body is rejected with 42299", async () => {
  const pestle = clientOf(app);
  await pestle.simulate.clock({ advance_seconds: 1 }, { idempotency_key: "reused" });
  const error = await failure(pestle.simulate.clock({ advance_seconds: 2 }, { idempotency_key: "reused" }));
  expect(error).toMatchObject({ name: "RequestRefused", status: 422, errors: [{ code: 42299 }] });
});

test("a record that a production account does not have is NotFound", async () => {
  const error = await failure(clientOf(app, 2).simulate.clock({ advance_seconds: 1 }));
  expect(error).toBeInstanceOf(NotFound);
  expect(error).toBeInstanceOf(PestleError);
  const doc_url = errorDocUrl(app.addresses.base_url, 404);
  expect(error).toMatchObject({
    status: 404,
    errors: [],
    doc_url,
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test("past the rate limit the client waits as long as the server says, and every call succeeds", async () => {
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
    app.advance(ms);
  };
  const patient = clientOf(app, 1, { sleep, random: () => 0, retries: 20 });
  await Promise.all(Array.from({ length: 80 }, () => patient.brands()));
  expect(waits.length).toBeGreaterThan(0);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000);
});

test("without retries the rate limit is a RateLimited error", async () => {
  const hasty = clientOf(app, 1, { retries: 0 });
  const results = await Promise.allSettled(Array.from({ length: 200 }, () => hasty.brands()));
  const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason as unknown);
  expect(refused.length).toBeGreaterThan(0);
  for (const error of refused) expect(error).toBeInstanceOf(RateLimited);
  expect(refused[0]).toMatchObject({ status: 429, retry_after_s: expect.any(Number) });
});

test("wrong options fail at once, all in one error that shows no value", () => {
  const wrong = (options?: object) => {
    try {
      createPestle(options as never);
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
    return "accepted";
  };
  expect(wrong()).toBe("TypeError: createPestle needs an object with client_id, client_secret, base_url and auth_url.");
  expect(wrong({})).toBe(
    "TypeError: createPestle: client_id is missing. base_url is missing. auth_url is missing. Give client_secret or private_key.",
  );
  const { client_id, ...rest } = optionsOf(app);
  expect(wrong({ ...rest, clientId: client_id, retries: "3", deadline_ms: 0, client_secret: "" })).toBe(
    "TypeError: createPestle: client_id is missing. client_secret must be a text. clientId is not an option. Did you mean client_id? retries must be a number from 0. deadline_ms must be a number of milliseconds above 0.",
  );
  expect(wrong({ ...optionsOf(app), timeout: 5 })).toBe("TypeError: createPestle: timeout is not an option.");
});

test("an incomplete order is the service's to refuse, and what is no order at all never leaves", async () => {
  const { orders } = clientOf(app);
  const error = await failure(orders.create({} as never));
  expect(error).toBeInstanceOf(RequestRefused);
  expect((error as RequestRefused).fields.map(({ field }) => field)).toEqual(
    expect.arrayContaining(["items", "shipping.method_id"]),
  );
  for (const nothing of [undefined, null, "order", []]) {
    expect(await failure(Promise.resolve().then(() => orders.create(nothing as never)))).toMatchObject({
      name: "TypeError",
      message: "The body of createOrder must be an object.",
    });
  }
  expect(await failure(orders.find({} as never))).toMatchObject({
    message: "orders.find needs patient.patient_id.",
  });
});

test("secrets travel only over https or on loopback", () => {
  const options = optionsOf(app);
  for (const wrong of ["http://pharmacy.example", "http://127.0.0.1.example", "ftp://127.0.0.1", "pharmacy.example"]) {
    expect(() => createPestle({ ...options, base_url: wrong })).toThrow("base_url must be an https address.");
    expect(() => createPestle({ ...options, auth_url: wrong })).toThrow("auth_url must be an https address.");
  }
  for (const right of ["https://pharmacy.example/", "http://localhost:8080", "http://[::1]:8080", "http://127.0.0.2"]) {
    expect(() => createPestle({ ...options, base_url: right })).not.toThrow();
  }
});

test("a path cannot name another host", async () => {
  const pestle = clientOf(app);
  const error = await failure(pestle.request("GET", "@other.example/brands" as "/"));
  expect(error).toBeInstanceOf(TypeError);
});
