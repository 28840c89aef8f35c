import { type ErrorEntry, endpoints, errorDocUrl, oauthErrors, statusMessages } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCredential } from "../../../src/usecases/accounts/manage-credentials.ts";
import { codesOf, expectConventions, withoutId } from "../../support/conventions.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { goodAddress } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { freshToken } from "../../support/token-request.ts";

/** Not the partner API: pages, health and documentation have their own conventions (contract, 2). */
const EXEMPT = new Set([
  "/",
  "/docs",
  "/docs/",
  "/docs/*",
  "/assets/*",
  "/openapi.json",
  "/openapi-3.0.json",
  "/arazzo.json",
  "/postman.json",
  "/llms.txt",
  "/audit-keys.json",
  "/welcome.json",
  "/healthz",
  "/readyz",
  "/metrics",
]);

/** Messages in their own formats, with the same entry checks. */
const INTAKE = /^(\/v1)?\/intake\//;
/** Our own pages and their requests, which have their own rules and tests. */
const PAGES = /^\/(web|dashboard|portal)(\/|$)/;
/** Signed messages of payment, carrier and message providers, in their own formats and with their own tests. */
const PROVIDERS = /^\/providers\//;

let app: TestApp;
let scopeless: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  // The walk makes many requests, so its credential needs a high limit.
  const { account_id } = app.demo.partners[0]!;
  const shown = await app.deps.db.transaction((tx) =>
    createCredential(app.deps, tx, { account_id, name: "without scopes", scopes: [] }, app.deps.now()),
  );
  const body = new URLSearchParams({ grant_type: "client_credentials", ...shown, secret_id: "" });
  body.delete("secret_id");
  const response = await fetch(`${app.addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body });
  scopeless = ((await response.json()) as { access_token: string }).access_token;
});
afterAll(() => app.stop());

/** The router's own list, so that the test covers routes that are added later. */
const partnerRoutes = () =>
  app.listeners.partner.routes
    .filter(({ url }) => !EXEMPT.has(url) && !INTAKE.test(url) && !PAGES.test(url) && !PROVIDERS.test(url))
    .map(({ method, url }) => ({ method, url: url.replaceAll(/:\w+/g, "unknown") }));

const bodyOf = (method: string) =>
  method === "GET" || method === "HEAD" || method === "DELETE"
    ? {}
    : { body: "{}", headers: { "content-type": "application/json" } };

/** Operations for which no body equals an empty one. */
const needsNoBody = (method: string, url: string) =>
  endpoints.some(
    (endpoint) =>
      "body_optional" in endpoint &&
      endpoint.method === method &&
      endpoint.path.replaceAll(/\{\w+\}/g, "unknown") === url.replace(/^\/v1/, ""),
  );

async function everyRoute(check: (route: { method: string; url: string }) => Promise<void>): Promise<void> {
  const routes = partnerRoutes();
  expect(routes.length).toBeGreaterThan(10);
  for (const route of routes) {
    await check(route).catch((error) => {
      throw new Error(`${route.method} ${route.url}: ${(error as Error).message}`, { cause: error });
    });
  }
}

describe("every route of the partner API, walked from the router", () => {
  test("is one of the contract's operations, with and without /v1", async () => {
    const known = endpoints.filter(({ server }) => server === "partner");
    const expected = known.flatMap(({ method, path }) => [
      `${method} ${path.replaceAll(/\{\w+\}/g, "unknown")}`,
      `${method} /v1${path.replaceAll(/\{\w+\}/g, "unknown")}`,
    ]);
    const found = partnerRoutes()
      .filter(({ method }) => method !== "HEAD")
      .map(({ method, url }) => `${method} ${url}`);
    expect(found.sort()).toEqual(expected.sort());
  });

  test("rejects an Accept header without application/json with 406, before it checks the token", async () => {
    await everyRoute(async ({ method, url }) => {
      for (const accept of ["*/*", "text/html", "application/*", "application/json;q=0", "application/json; q=0.000"]) {
        const { body, headers } = { headers: {}, ...bodyOf(method) } as { body?: string; headers: object };
        const response = await app.call(url, {
          method,
          ...(body && { body }),
          headers: { ...headers, accept },
          token: null,
        });
        await expectConventions(response, "partner");
        expect(response.status).toBe(406);
      }
    });
  });

  test("rejects a missing, malformed, unknown or insufficient token with 401 and a challenge", async () => {
    const unknown = `${app.demo.partners[0]!.account_id}_${"x".repeat(43)}`;
    await everyRoute(async ({ method, url }) => {
      const expectations: [string | null, string, RegExp][] = [
        [null, "invalid_token", /^Bearer realm="partners"$/],
        ["nonsense", "invalid_token", /^Bearer realm="partners", error="invalid_token"$/],
        [unknown, "invalid_token", /^Bearer realm="partners", error="invalid_token"$/],
        [scopeless, "insufficient_scope", /^Bearer realm="partners", error="insufficient_scope"$/],
      ];
      for (const [token, error, challenge] of expectations) {
        const response = await app.call(url, { method, ...bodyOf(method), token });
        const text = await expectConventions(response, "partner");
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toMatch(challenge);
        if (method !== "HEAD") {
          const doc_url = errorDocUrl(app.addresses.base_url, error);
          expect(JSON.parse(withoutId(text))).toEqual({ error, error_description: expect.any(String), doc_url });
        }
      }
    });
  });

  test("rejects an unknown query parameter with 40003 and its name", async () => {
    await everyRoute(async ({ method, url }) => {
      const response = await app.call(`${url}?adress=1`, { method, ...bodyOf(method) });
      const text = await expectConventions(response, "partner");
      expect(response.status).toBe(400);
      if (method !== "HEAD") expect(codesOf(text)).toEqual([[40003, "adress"]]);
    });
  });

  test("answers past the rate limit with 429 and Retry-After", async () => {
    const { account_id, client_id } = app.demo.partners[1]!;
    const credential_id = client_id.slice(13);
    await app.token(1);
    await everyRoute(async ({ method, url }) => {
      // A smaller limit empties the bucket at once.
      const limit = { rate_per_second: 1, burst: 1 };
      app.deps.limiter.spend(account_id, credential_id, limit, app.deps.now().getTime() + 60_000);
      const response = await app.call(url, { method, ...bodyOf(method), partner: 1 });
      const text = await expectConventions(response, "partner");
      expect(response.status).toBe(429);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      if (method !== "HEAD") expect(JSON.parse(text).error.error_code).toBe(429);
    });
  });

  test("answers a conditional read with 304, the same ETag and no body, regardless of the request's Cache-Control", async () => {
    await everyRoute(async ({ method, url }) => {
      if (method !== "GET" && method !== "HEAD") return;
      const first = await app.call(url, { method });
      await expectConventions(first, "partner");
      // The log of requests grows with the requests of this test.
      if (first.status !== 200 || url.endsWith("/requests")) return;
      const etag = first.headers.get("etag")!;
      const matching = [etag, etag.slice(2), `"other", ${etag}`, "*"];
      for (const value of matching) {
        const headers = { "if-none-match": value, "cache-control": "no-cache" };
        const second = await app.call(url, { method, headers });
        expect(await expectConventions(second, "partner")).toBe("");
        expect(second.status).toBe(304);
        expect(second.headers.get("etag")).toBe(etag);
        // RFC 9110, 8.6: no length, or the length of the omitted answer.
        expect([null, first.headers.get("content-length")]).toContain(second.headers.get("content-length"));
      }
      const changed = await app.call(url, { method, headers: { "if-none-match": `W/"${"0".repeat(32)}"` } });
      expect(changed.status).toBe(200);
      await changed.text();
    });
  });

  test("HEAD answers as GET does, without the body", async () => {
    await everyRoute(async ({ method, url }) => {
      if (method !== "GET") return;
      const [get, head] = [await app.call(url), await app.call(url, { method: "HEAD" })];
      expect(await head.text()).toBe("");
      expect(head.status).toBe(get.status);
      // An error body has the id of its request, so no two are the same.
      if (get.status === 200) expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
      expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(await get.text())));
    });
  });

  test("rejects an invalid Idempotency-Key on a POST with 40005, before it reads the body", async () => {
    await everyRoute(async ({ method, url }) => {
      if (method !== "POST") return;
      for (const key of ["has space", "é", "x".repeat(256)]) {
        const headers = { "content-type": "application/json", "idempotency-key": key };
        const response = await app.call(url, { method, body: "no json", headers });
        expect(codesOf(await expectConventions(response, "partner"))).toEqual([[40005, "Idempotency-Key"]]);
      }
    });
  });

  test("rejects a body that is not a JSON object with the matching 400", async () => {
    const json = "application/json";
    const cases: [string, string | Uint8Array<ArrayBuffer>, number][] = [
      ["text/plain", "{}", 40002],
      ["application/json; charset=utf-16", "{}", 40002],
      [json, "{", 40001],
      [json, "", 40001],
      [json, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 40001],
      [json, "[".repeat(100_000), 40001],
      [json, "[]", 40000],
      [json, "null", 40000],
      [json, '"text"', 40000],
      [json, `{"a":"${"x".repeat(1024 * 1024)}"}`, 40004],
    ];
    await everyRoute(async ({ method, url }) => {
      if (!["POST", "PUT", "PATCH"].includes(method)) return;
      for (const [type, body, code] of cases) {
        if (body === "" && needsNoBody(method, url)) continue;
        const response = await app.call(url, { method, body, headers: { "content-type": type } });
        const text = await expectConventions(response, "partner");
        expect(response.status).toBe(400);
        expect(codesOf(text).map(([first]) => first)).toEqual([code]);
      }
    });
  });
});

describe("every intake route, walked from the router", () => {
  const intakeRoutes = () => app.listeners.partner.routes.filter(({ url }) => INTAKE.test(url));
  const ask = (url: string, token: string, init: { type: string; body: string }) =>
    fetch(`${app.addresses.base_url}${url}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": init.type, accept: "*/*" },
      body: init.body,
    });
  const xml = { type: "application/xml", body: "<Message/>" };
  let token: string;
  beforeAll(async () => {
    token = await freshToken(app, app.demo.intake, "intake");
  });

  test("is one of the contract's operations, with and without /v1", () => {
    const known = endpoints.filter(({ server }) => server === "intake");
    const expected = known.flatMap(({ method, path }) => [`${method} ${path}`, `${method} /v1${path}`]);
    expect(
      intakeRoutes()
        .map(({ method, url }) => `${method} ${url}`)
        .sort(),
    ).toEqual(expected.sort());
  });

  test("rejects a partner's token or no token with 401, an unknown query with 40003, another type and too large a body", async () => {
    for (const { url } of intakeRoutes()) {
      for (const wrong of [await app.token(), scopeless, "nonsense"]) {
        const response = await ask(url, wrong, xml);
        await expectConventions(response, "partner");
        expect(response.status).toBe(401);
      }
      const cases: [string, { type: string; body: string }, number][] = [
        [`${url}?adress=1`, xml, 40003],
        [url, { type: "text/plain", body: "x" }, 40002],
        [
          url,
          { type: url.endsWith("fhir") ? "application/fhir+json" : "text/xml", body: "x".repeat(2 ** 20 + 1) },
          40004,
        ],
      ];
      for (const [path, init, code] of cases) {
        const response = await ask(path, token, init);
        expect(codesOf(await expectConventions(response, "partner")).map(([first]) => first)).toEqual([code]);
      }
    }
  });

  test("shows its own limit, and answers past it with 429 and Retry-After", async () => {
    const credential_id = app.demo.intake.client_id.slice(13);
    const account_id = app.demo.intake.client_id.slice(0, 12);
    const limit = { rate_per_second: 500, burst: 1000 };
    for (const { url } of intakeRoutes()) {
      const allowed = await ask(url, token, { type: "text/plain", body: "x" });
      expect(allowed.headers.get("ratelimit-policy")).toBe('"credential";q=1000;w=2');
      const later_ms = app.deps.now().getTime() + 60_000;
      while (app.deps.limiter.spend(account_id, credential_id, limit, later_ms).allowed);
      const response = await ask(url, token, xml);
      await expectConventions(response, "partner");
      expect(response.status).toBe(429);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      app.advance(180_000);
    }
  });
});

describe("unknown resources", () => {
  test("a path of the API with another method gets 405 and its methods, before Accept and token are checked", async () => {
    const allowed = new Map<string, Set<string>>();
    for (const { method, url } of app.listeners.partner.routes) {
      allowed.set(url, (allowed.get(url) ?? new Set()).add(method));
    }
    const wildcards = new Map([
      ["/docs/*", "/docs/errors"],
      ["/dashboard/*", "/dashboard/queue"],
      ["/portal/*", "/portal/x/y"],
    ]);
    for (const [url, methods] of allowed) {
      if (url === "/assets/*") continue;
      const path = wildcards.get(url) ?? url.replaceAll(/:\w+/g, "unknown");
      // Another pattern may match the same path, such as `/orders/:order_number` beside `/orders/search`.
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((one) => !methods.has(one))) {
        const response = await app.call(path, { method, token: null, headers: { accept: "text/html" } });
        const text = await expectConventions(response, path.startsWith("/web/") ? "web" : "partner");
        expect([method, path, response.status]).toEqual([method, path, 405]);
        const doc_url = errorDocUrl(app.addresses.base_url, 405);
        expect(JSON.parse(withoutId(text))).toEqual({
          error: { error_code: 405, message: statusMessages[405], doc_url },
        });
        const allow = response.headers.get("allow")!.split(", ");
        expect([...methods].filter((one) => !allow.includes(one))).toEqual([]);
        expect(allow).not.toContain(method);
      }
    }
  });

  test("unknown paths and malformed ids get the same 404", async () => {
    const bodies = new Set<string>();
    const paths: [string, string][] = [
      ["GET", "/nowhere"],
      ["GET", "/v1"],
      ["GET", "/v1/v1/brands"],
      ["GET", "/v2/brands"],
      ["GET", "/brands/"],
      ["GET", "/BRANDS"],
      ["DELETE", "/nowhere"],
      ["OPTIONS", "/nowhere"],
      ["POST", "/docs/nowhere"],
      ["POST", "/assets/nowhere.js"],
      ["GET", "/%zz"],
      ["GET", "/brands%00"],
      ["PUT", "/v1/simulate/"],
    ];
    for (const [method, path] of paths) {
      const response = await app.call(path, { method, token: null, headers: { accept: "text/html" } });
      bodies.add(withoutId(await expectConventions(response, "partner")));
      expect(response.status).toBe(404);
    }
    const doc_url = errorDocUrl(app.addresses.base_url, 404);
    const error = { error_code: 404, message: statusMessages[404], doc_url };
    expect([...bodies]).toEqual([JSON.stringify({ error })]);
  });
});

describe("an error says what is wrong", () => {
  const answered = async (method: string, path: string, body?: unknown) => {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await app.call(path, { method, ...sent });
    const { errors = [] } = JSON.parse(await expectConventions(response, "partner")) as { errors?: ErrorEntry[] };
    for (const { code, doc_url } of errors) expect(doc_url).toBe(errorDocUrl(app.addresses.base_url, code));
    return Object.fromEntries(
      errors.flatMap(({ code, error_detail }) =>
        error_detail.map(({ field, message: _, ...detail }) => [`${code} ${field}`, detail]),
      ),
    );
  };

  test("in a query: the name, the type or the values that it takes", async () => {
    expect(await answered("GET", "/orders?patientid=a&status=b&x=1")).toEqual({
      "40003 patientid": { problem: "unknown_field", did_you_mean: "patient_id" },
      "40003 status": { problem: "unknown_field" },
      "40003 x": { problem: "unknown_field" },
    });
    expect(await answered("GET", "/orders?limit=many")).toEqual({ "40003 limit": { problem: "wrong_type" } });
    expect(await answered("GET", "/orders?prescription_id=x")).toEqual({
      "40003 prescription_id": { problem: "wrong_type" },
    });
    expect(await answered("GET", "/orders?order_status=shiped")).toEqual({
      "40003 order_status": { problem: "not_allowed", allowed: expect.any(Array), did_you_mean: "Shipped" },
    });
    expect(await answered("GET", "/products?ndc=1")).toEqual({
      "40003 ndc": { problem: "unknown_field", did_you_mean: "ndc[]" },
    });
  });

  test("in a body: a missing field, another type, an unknown name, a value that is not allowed, and no such record", async () => {
    const body = {
      adress: {},
      shipping: { method_id: "1" },
      patient: { patient_id: "nobody-here", gender: "f", emial: "x" },
      payment: { payer: 1 },
    };
    expect(await answered("POST", "/orders", body)).toEqual({
      "42200 adress": { problem: "unknown_field", did_you_mean: "address" },
      "42200 patient.emial": { problem: "unknown_field", did_you_mean: "email" },
      "42200 items": { problem: "missing" },
      "42200 payment.payer": { problem: "wrong_type" },
      "42205 patient.gender": { problem: "not_allowed", allowed: ["M", "F", "N"], did_you_mean: "F" },
      "42206 patient.patient_id": { problem: "not_found" },
      "42291 shipping.method_id": { problem: "wrong_type" },
    });
  });

  test("with a message for that cause only", async () => {
    const messages = async (body: unknown) => {
      const response = await app.call("/orders", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
      const { errors } = (await response.json()) as { errors: ErrorEntry[] };
      return errors.flatMap(({ error_detail }) => error_detail.map(({ message }) => message));
    };
    const order = { shipping: { method_id: 1 }, patient: { patient_id: "nobody-here" } };
    expect(await messages({ ...order, items: [{ prescription_id: "183615" }] })).toContain(
      "Send a whole number, without quotes.",
    );
    expect(await messages(order)).toContain("The request needs this field.");
    expect((await messages(order)).join()).not.toContain("unknown");
  });

  test("in a name of any length, of which the answer repeats only the start", async () => {
    for (const path of ["/simulate", `/brands?${"x".repeat(9_000)}=1`]) {
      const body = path === "/simulate" ? { ["y".repeat(50_000)]: 1 } : undefined;
      const found = Object.keys(await answered(body === undefined ? "GET" : "POST", path, body));
      expect(found.every((name) => name.length < 220)).toBe(true);
      expect(found.length).toBeGreaterThan(0);
    }
  });

  test("to a credential at the token server of the other environment", async () => {
    const { client_id, client_secret } = app.demo.partners[0]!;
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret });
    const response = await fetch(`${app.addresses.auth_url}/oauth/token`, { method: "POST", body });
    expect(JSON.parse(withoutId(await expectConventions(response, "token")))).toEqual({
      error: "invalid_client",
      error_description: oauthErrors.invalid_client[1],
      doc_url: errorDocUrl(app.addresses.base_url, "invalid_client"),
    });
    expect(oauthErrors.invalid_client[1]).toContain("Sandbox and production have different token servers");
  });
});

describe("Prefer: return=minimal", () => {
  const change = (path: string, method: string, body: unknown, prefer?: string) =>
    app.call(path, {
      method,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...(prefer !== undefined && { prefer }) },
    });

  test("on a PATCH or PUT answers 204 without a body, with the ETag that the next read has", async () => {
    const order = await placed(app, (await newOrder(app)).body);
    const cases: [string, string, unknown, string][] = [
      [`/patients/${order.patient_id}`, "PATCH", { phone: "4155550199" }, `/patients/${order.patient_id}`],
      [`/orders/${order.order_number}/shipping_address`, "PUT", goodAddress, `/orders/${order.order_number}`],
    ];
    for (const [path, method, body, read] of cases) {
      const response = await change(path, method, body, "return=minimal, wait=5");
      expect([path, response.status, await expectConventions(response, "partner")]).toEqual([path, 204, ""]);
      expect(response.headers.get("preference-applied")).toBe("return=minimal");
      const current = await app.call(read, { headers: { "if-none-match": response.headers.get("etag")! } });
      expect([path, current.status]).toEqual([path, 304]);
    }
  });

  test("does not change any other answer", async () => {
    const { patient_id } = (await newOrder(app)) as { patient_id: string };
    for (const prefer of [undefined, "return=representation, return=minimal", "respond-async"]) {
      const response = await change(`/patients/${patient_id}`, "PATCH", { gender: "F" }, prefer);
      expect([response.status, response.headers.get("preference-applied")]).toEqual([200, null]);
      expect(JSON.parse(await expectConventions(response, "partner"))).toMatchObject({ patient_id, gender: "F" });
    }
    const refused = await change(`/patients/${patient_id}`, "PATCH", { gender: "X" }, "return=minimal");
    expect(codesOf(await expectConventions(refused, "partner"))).toEqual([[42205, "gender"]]);
    const simulated = { simulation_type: "clock", simulation: { advance_seconds: 1 } };
    expect((await change("/simulate", "POST", simulated, "return=minimal")).status).toBe(202);
  });
});
