import { errorDocUrl, type statuses } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Conflict, StatusRefusal } from "../../../src/domain/values/refusals.ts";
import { json } from "../../../src/http/answer.ts";
import { partnerRoutes, type Route } from "../../../src/http/partner-api.ts";
import { createCredential } from "../../../src/usecases/accounts/manage-credentials.ts";
import { codesOf, expectConventions, withoutId } from "../../support/conventions.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { askTokenServer, basic, type Credentials, freshToken } from "../../support/token-request.ts";
import { until } from "../../support/tools/until.ts";

/**
 * The specification, rule by rule: a rule without a test here does not compile. Probe operations show statuses that
 * no operation gives yet; they pass the same checks as all others.
 */
type Rule =
  | `Authentication ${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`
  | `Cross-cutting ${1 | 2 | 3 | 4 | 5}`
  | `Limits ${1 | 2 | 3 | 4}`
  | `Status ${Exclude<keyof typeof statuses, 202 | 406>}`;

let app: TestApp;
let partner: TestApp["demo"]["partners"][number];
let sandbox_auth_url: string;
const grant = { grant_type: "client_credentials", scope: "partners" };
const clock = (advance_seconds: number) => ({ simulation_type: "clock", simulation: { advance_seconds } });
const postJson = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});

const probe = (operation_id: string, method: "GET" | "POST", handler: Route["handler"]): Route => ({
  endpoint: {
    operation_id,
    method,
    path: `/probe/${operation_id}`,
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "",
    description: "",
    responses: {},
    codes: [],
  },
  handler,
});
const probes: Route[] = [
  probe("created", "POST", async () => ({ status: 201, body: '{"id":1}' })),
  probe("updated", "POST", async () => ({ status: 204, body: "" })),
  probe("conflict", "POST", async () => {
    throw new Conflict("7K2M9XQ4TB");
  }),
  probe("fault", "GET", () => {
    throw new Error("a fault that names a patient");
  }),
  probe("unavailable", "GET", () => {
    throw new StatusRefusal(503, 7);
  }),
  probe("fine", "GET", () => json(200, { fine: true })),
];

beforeAll(async () => {
  app = await startTestApp({ routes: [...partnerRoutes, ...probes] });
  partner = app.demo.partners[0]!;
  ({ sandbox_auth_url } = app.addresses);
});
afterAll(() => app.stop());

const tokenError = async (response: Response) => {
  const text = await expectConventions(response, "token");
  const { error } = JSON.parse(text) as { error: string };
  return `${response.status} ${error}`;
};
const newCredential = (scopes: string[]): Promise<Credentials> =>
  app.deps.db.transaction((tx) =>
    createCredential(app.deps, tx, { account_id: partner.account_id, name: "rule", scopes }, app.deps.now()),
  );

const rules: Record<Rule, () => Promise<void>> = {
  "Authentication 1": async () => {
    for (const grant_type of ["password", "authorization_code", "refresh_token", "nonsense"]) {
      const response = await askTokenServer(
        sandbox_auth_url,
        { grant_type, scope: "partners" },
        { credentials: partner },
      );
      expect(await tokenError(response)).toBe("400 unsupported_grant_type");
    }
    const response = await app.call("/brands", { token: await freshToken(app, partner) });
    expect(response.status).toBe(200);
  },
  "Authentication 2": async () => {
    const { client_id, client_secret } = await newCredential(["partners"]);
    expect(client_secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    // Shown once: no stored value returns it.
    const { rows } = await app.deps.db.raw(
      "select c.*, s.* from credential c join credential_secret s using (account_id, credential_id)",
    );
    expect(JSON.stringify(rows)).not.toContain(client_secret);
    expect(JSON.stringify(app.lines())).not.toContain(client_secret);
    expect(await freshToken(app, { client_id, client_secret })).toBeTruthy();
  },
  "Authentication 3": async () => {
    const production = app.demo.partners[2]!;
    const answers = [
      await askTokenServer(app.addresses.auth_url, grant, { credentials: production }),
      await askTokenServer(sandbox_auth_url, grant, { credentials: partner }),
    ];
    for (const response of answers) {
      expect(response.status).toBe(200);
      expect(Object.keys((await response.json()) as object)).toEqual([
        "access_token",
        "token_type",
        "expires_in",
        "scope",
        "created_at",
      ]);
    }
    // A credential of one environment is unknown to the other.
    expect(await tokenError(await askTokenServer(app.addresses.auth_url, grant, { credentials: partner }))).toBe(
      "401 invalid_client",
    );
    expect(await tokenError(await askTokenServer(sandbox_auth_url, grant, { credentials: production }))).toBe(
      "401 invalid_client",
    );
  },
  "Authentication 4": async () => {
    const { client_id, client_secret } = partner;
    expect((await askTokenServer(sandbox_auth_url, grant, { credentials: partner })).status).toBe(200);
    expect((await askTokenServer(sandbox_auth_url, { ...grant, client_id, client_secret })).status).toBe(200);
    expect((await askTokenServer(sandbox_auth_url, { ...grant, client_id }, { credentials: partner })).status).toBe(
      200,
    );
    const refused: [string, Promise<Response>][] = [
      [
        "400 invalid_request",
        askTokenServer(sandbox_auth_url, { ...grant, client_id, client_secret }, { credentials: partner }),
      ],
      [
        "400 invalid_request",
        askTokenServer(sandbox_auth_url, { ...grant, client_id: "another" }, { credentials: partner }),
      ],
      [
        "400 invalid_request",
        askTokenServer(sandbox_auth_url, JSON.stringify(grant), { headers: { "content-type": "application/json" } }),
      ],
      [
        "400 invalid_request",
        askTokenServer(sandbox_auth_url, "grant_type=client_credentials&grant_type=client_credentials", {
          credentials: partner,
        }),
      ],
      ["400 invalid_request", askTokenServer(sandbox_auth_url, { scope: "partners" }, { credentials: partner })],
      ["401 invalid_client", askTokenServer(sandbox_auth_url, grant)],
      ["401 invalid_client", askTokenServer(sandbox_auth_url, { ...grant, client_id })],
      ["401 invalid_client", askTokenServer(sandbox_auth_url, { ...grant, client_id, client_secret: "wrong" })],
      ["401 invalid_client", askTokenServer(sandbox_auth_url, grant, { headers: { authorization: "Basic ???" } })],
      ["401 invalid_client", askTokenServer(sandbox_auth_url, grant, { headers: { authorization: "Bearer x" } })],
    ];
    for (const [expected, asked] of refused) {
      const response = await asked;
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("pragma")).toBe("no-cache");
      expect(response.headers.has("www-authenticate")).toBe(response.status === 401);
      expect(await tokenError(response)).toBe(expected);
    }
  },
  "Authentication 5": async () => {
    const ask = async (credentials: Credentials, scope?: string) => {
      const form = { grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) };
      const response = await askTokenServer(sandbox_auth_url, form, { credentials });
      const body = (await response.json()) as { scope?: string; error?: string };
      return body.error ?? body.scope ?? "(no scope)";
    };
    expect(await ask(partner, "partners")).toBe("partners");
    expect(await ask(partner)).toBe("invalid_scope");
    expect(await ask(partner, "")).toBe("invalid_scope");
    expect(await ask(partner, "intake")).toBe("invalid_scope");
    expect(await ask(partner, "partners intake")).toBe("invalid_scope");
    const both = await newCredential(["partners", "intake"]);
    expect(await ask(both, "intake")).toBe("intake");
    expect(await ask(both, "intake partners")).toBe("intake partners");
    const none = await newCredential([]);
    expect(await ask(none)).toBe("(no scope)");
    expect(await ask(none, "")).toBe("(no scope)");
    expect(await ask(none, "partners")).toBe("invalid_scope");
  },
  "Authentication 6": async () => {
    const response = await askTokenServer(sandbox_auth_url, grant, { credentials: partner });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json;charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("pragma")).toBe("no-cache");
    expect(JSON.parse(await expectConventions(response, "token"))).toEqual({
      access_token: expect.stringMatching(/^[A-Za-z0-9_-]{43,}$/),
      token_type: "Bearer",
      expires_in: 43_200,
      scope: "partners",
      created_at: expect.any(Number),
    });
  },
  "Authentication 7": async () => {
    const own = await startTestApp();
    try {
      const token = await own.token();
      own.advance(43_190_000);
      expect((await own.call("/brands", { token })).status).toBe(200);
      own.advance(10_000);
      expect((await own.call("/brands", { token })).status).toBe(401);
      expect((await own.call("/brands", { token: await freshToken(own, own.demo.partners[0]!) })).status).toBe(200);
    } finally {
      await own.stop();
    }
    // One token may serve several APIs: it has every requested scope.
    const both = await newCredential(["partners", "intake"]);
    expect((await app.call("/brands", { token: await freshToken(app, both, "partners intake") })).status).toBe(200);
    expect((await app.call("/brands", { token: await freshToken(app, both, "intake") })).status).toBe(401);
  },
  "Authentication 8": async () => {
    const url = `${app.addresses.base_url}/brands`;
    const accept = "application/json";
    const token = await app.token();
    expect((await fetch(url, { headers: { accept, authorization: `Bearer ${token}` } })).status).toBe(200);
    expect((await fetch(url, { headers: { accept, authorization: `bearer ${token}` } })).status).toBe(200);
    expect((await fetch(`${url}?access_token=${token}`, { headers: { accept } })).status).toBe(401);
    for (const authorization of [basic(partner), "Bearer", token, `Bearer ${token}x`]) {
      const response = await fetch(url, { headers: { accept, authorization } });
      await expectConventions(response, "partner");
      expect(response.status).toBe(401);
    }
  },
  "Authentication 9": async () => {
    const behindProxy = await startTestApp({ env: { TRUST_PROXY: "127.0.0.1" } });
    try {
      const ask = (path: string, proto?: string) =>
        behindProxy.call(path, { headers: proto === undefined ? {} : { "x-forwarded-proto": proto }, token: null });
      for (const proto of [undefined, "http", "https,http"]) {
        for (const path of ["/brands", "/nowhere"]) {
          const response = await ask(path, proto);
          expect(codesOf(await expectConventions(response, "partner"))).toEqual([[40010, "url"]]);
        }
      }
      expect((await ask("/brands", "https")).status).toBe(401);
      expect((await ask("/healthz")).status).toBe(200);
      // Ready once the change bus has responded, which may take a moment on a busy machine.
      await until(async () => (await ask("/readyz")).status === 200, "ready without https");
      const token = await askTokenServer(behindProxy.addresses.sandbox_auth_url, grant, {
        credentials: behindProxy.demo.partners[0]!,
      });
      expect(codesOf(await expectConventions(token, "token"))).toEqual([[40010, "url"]]);
    } finally {
      await behindProxy.stop();
    }
  },
  "Authentication 10": async () => {
    const sandbox = await app.call("/brands", { partner: 0 });
    const production = await app.call("/brands", { partner: 2 });
    expect([sandbox.status, production.status]).toEqual([200, 200]);
    expect([...sandbox.headers.keys()].sort()).toEqual([...production.headers.keys()].sort());
  },
  "Cross-cutting 1": async () => {
    const ids = new Set<string | null>();
    const answers = [
      app.call("/brands"),
      app.call("/brands", { headers: { "x-request-id": "mine" } }),
      app.call("/nowhere"),
      app.call("/healthz"),
      app.call("/docs"),
      app.call("/openapi.json"),
      askTokenServer(sandbox_auth_url, grant),
      fetch(`${app.addresses.auth_url}/nowhere`),
    ];
    for (const response of await Promise.all(answers)) ids.add(response.headers.get("x-request-id"));
    expect(ids.size).toBe(answers.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  },
  "Cross-cutting 2": async () => {
    const first = await app.call("/probe/fine");
    const etag = first.headers.get("etag")!;
    expect(etag).toMatch(/^W\/"/);
    expect((await app.call("/probe/fine", { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await app.call("/probe/fine", { headers: { "if-none-match": 'W/"old"' } })).status).toBe(200);
  },
  "Cross-cutting 3": async () => {
    const response = await app.call("/brands");
    expect(response.headers.get("cache-control")).toBe("max-age=0, private, must-revalidate");
  },
  "Cross-cutting 4": async () => {
    const accepted = [
      "application/json",
      "application/json; charset=utf-8",
      "text/html, application/json;q=0.1",
      "APPLICATION/JSON",
    ];
    for (const accept of accepted) expect((await app.call("/brands", { headers: { accept } })).status).toBe(200);
    for (const accept of ["*/*", "application/xml", ""])
      expect((await app.call("/brands", { headers: { accept } })).status).toBe(406);
  },
  "Cross-cutting 5": async () => {
    // The same key many times at once: one change, and the rest are replays or get an in-progress answer.
    const key = { "idempotency-key": "in-flight" };
    const before = Date.parse(
      ((await (await app.call("/simulate", postJson(clock(1)))).json()) as { now: string }).now,
    );
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => app.call("/simulate", postJson(clock(100_000), key))),
    );
    const outcomes = answers.map(({ status, headers }) => `${status}${headers.get("idempotent-replayed") ?? ""}`);
    expect(outcomes.filter((outcome) => outcome === "202")).toHaveLength(1);
    for (const outcome of outcomes) expect(["202", "202true", "409"]).toContain(outcome);
    for (const response of answers) {
      const text = await expectConventions(response, "partner");
      if (response.status === 409)
        expect(JSON.parse(text).error.message).toMatch(/not a duplicate, then send it again/);
    }
    const after = Date.parse(((await (await app.call("/simulate", postJson(clock(1)))).json()) as { now: string }).now);
    expect(Math.round((after - before) / 100_000_000)).toBe(1);
  },
  "Limits 1": async () => {
    const own = await startTestApp();
    try {
      const token = await own.token();
      const answers = await Promise.all(Array.from({ length: 300 }, () => own.call("/brands", { token })));
      const refused = answers.filter(({ status }) => status === 429);
      expect(answers.length - refused.length).toBeGreaterThanOrEqual(50);
      expect(refused.length).toBeGreaterThan(0);
      for (const response of refused) expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      own.advance(2_000);
      expect((await own.call("/brands", { token })).status).toBe(200);
      // The token server has its own: a burst of 100 for a client id.
      const credentials = own.demo.partners[1]!;
      const asked = await Promise.all(
        Array.from({ length: 300 }, () => askTokenServer(own.addresses.sandbox_auth_url, grant, { credentials })),
      );
      const tooMany = asked.filter(({ status }) => status === 429);
      expect(tooMany.length).toBeGreaterThan(0);
      expect(await tokenError(tooMany[0]!)).toBe("429 too_many_requests");
      expect(Number(tooMany[0]!.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    } finally {
      await own.stop();
    }
  },
  "Limits 2": async () => {
    const response = await askTokenServer(sandbox_auth_url, grant, { credentials: partner });
    expect(((await response.json()) as { expires_in: number }).expires_in).toBe(43_200);
  },
  "Limits 3": async () => {
    const { exceptions } = await import("@pestle/contract");
    expect(exceptions[79]).toMatchObject({ name: "Ship-to Name Truncated", raised_when: expect.stringMatching(/35/) });
  },
  "Limits 4": async () => {
    const response = await app.call("/brands", { headers: { accept: "application/json, text/html" } });
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect((await app.call("/brands", { headers: { accept: "application/hal+json" } })).status).toBe(406);
  },
  "Status 200": async () => {
    const response = await app.call("/probe/fine");
    expect([response.status, await response.json()]).toEqual([200, { fine: true }]);
  },
  "Status 201": async () => {
    const response = await app.call("/probe/created", postJson({}));
    expect([response.status, await expectConventions(response, "partner")]).toEqual([201, '{"id":1}']);
  },
  "Status 204": async () => {
    const response = await app.call("/probe/updated", postJson({}));
    expect([response.status, await expectConventions(response, "partner")]).toEqual([204, ""]);
  },
  "Status 304": async () => {
    const response = await app.call("/brands", { headers: { "if-none-match": "*" } });
    expect([response.status, await expectConventions(response, "partner")]).toEqual([304, ""]);
  },
  "Status 400": async () => {
    const response = await app.call("/simulate", { ...postJson({}), body: "{" });
    const text = await expectConventions(response, "partner");
    const error_detail = [{ field: "body", message: expect.any(String) }];
    const doc_url = errorDocUrl(app.addresses.base_url, 40001);
    expect([response.status, JSON.parse(withoutId(text))]).toEqual([
      400,
      { errors: [{ code: 40001, message: "Malformed JSON", error_detail, doc_url }] },
    ]);
  },
  "Status 401": async () => {
    const response = await app.call("/brands", { token: null });
    expect([response.status, await expectConventions(response, "partner")]).toEqual([
      401,
      expect.stringContaining("invalid_token"),
    ]);
  },
  "Status 404": async () => {
    // A sandbox tool does not exist for a production account.
    const response = await app.call("/simulate", { ...postJson(clock(1)), partner: 2 });
    expect([response.status, JSON.parse(await expectConventions(response, "partner")).error.error_code]).toEqual([
      404, 404,
    ]);
  },
  "Status 405": async () => {
    // The path exists for every account, so even a production account learns the methods of the sandbox tool.
    const response = await app.call("/simulate", { method: "PUT", partner: 2 });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(JSON.parse(await expectConventions(response, "partner")).error.error_code).toBe(405);
  },
  "Status 409": async () => {
    const response = await app.call("/probe/conflict", postJson({}));
    const text = await expectConventions(response, "partner");
    const message = expect.stringMatching(/duplicate/);
    const doc_url = errorDocUrl(app.addresses.base_url, 409);
    expect([response.status, JSON.parse(withoutId(text))]).toEqual([
      409,
      { error: { error_code: 409, message, order_number: "7K2M9XQ4TB", doc_url } },
    ]);
  },
  "Status 422": async () => {
    const response = await app.call(
      "/simulate",
      postJson({ simulation_type: "clock", simulation: { advance_seconds: -5, adress: 1 }, x: 1 }),
    );
    const text = await expectConventions(response, "partner");
    expect(response.status).toBe(422);
    expect(codesOf(text)).toEqual([[42200, "x", "simulation.adress", "simulation.advance_seconds"]]);
  },
  "Status 429": async () => {
    const limit = { rate_per_second: 1, burst: 1 };
    const { account_id, client_id } = app.demo.partners[1]!;
    await app.token(1);
    for (let i = 0; i < 60; i++)
      app.deps.limiter.spend(account_id, client_id.slice(13), limit, app.deps.now().getTime() + 5_000);
    const response = await app.call("/brands", { partner: 1 });
    expect([response.status, JSON.parse(await expectConventions(response, "partner")).error.error_code]).toEqual([
      429, 429,
    ]);
  },
  "Status 500": async () => {
    const response = await app.call("/probe/fault");
    const text = await expectConventions(response, "partner");
    expect([response.status, JSON.parse(text).error.error_code]).toEqual([500, 500]);
    expect(text).not.toContain("patient");
    const request_id = response.headers.get("x-request-id");
    expect(app.lines().some((line) => line["level"] === 50 && line["request_id"] === request_id)).toBe(true);
  },
  "Status 503": async () => {
    const response = await app.call("/probe/unavailable");
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "7"]);
    expect(JSON.parse(await expectConventions(response, "partner")).error.error_code).toBe(503);
  },
};

describe("the specification, rule by rule", () => {
  for (const [name, check] of Object.entries(rules)) test(`spec, ${name}`, check);
});
