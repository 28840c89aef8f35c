import { randomUUID } from "node:crypto";
import {
  type Endpoint,
  type Environment,
  endpoints,
  portalRoleNames as partnerPeople,
  staffRoleNames as staff,
} from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dateIn } from "../../../src/domain/values/calendar.ts";
import type { WebRoute } from "../../../src/http/web-api.ts";
import { webRoutes } from "../../../src/http/web-routes.ts";
import { createPartnerAccount } from "../../../src/usecases/accounts/create-partner.ts";
import { createCredential } from "../../../src/usecases/accounts/manage-credentials.ts";
import { keepRequests } from "../../../src/usecases/operations/keep-requests.ts";
import { bookAdjustment } from "../../../src/usecases/statements/book-adjustment.ts";
import { type Asked, Asker, type Cell, METHODS, type Method, type Outcome } from "../../support/access-matrix.ts";
import { footprint, newOrder, orderOf, placed } from "../../support/orders.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { basic, freshToken } from "../../support/token-request.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";
import { webhookCalls } from "../../support/webhook-api.ts";

/*
 * Route × caller × tenant × method, from the tables alone: `endpoints`, `webRoutes` and the router's own list. A new
 * route is in the matrix as soon as its table has it. If it needs a record, add the record's id to `idsOf`.
 */

/** Routes outside the tables, for everyone. The value is an address to ask. */
const OPEN: Record<string, string> = {
  "/healthz": "/healthz",
  "/readyz": "/readyz",
  "/metrics": "/metrics",
  "/audit-keys.json": "/audit-keys.json",
  "/welcome.json": "/welcome.json",
  "/openapi.json": "/openapi.json",
  "/openapi-3.0.json": "/openapi-3.0.json",
  "/arazzo.json": "/arazzo.json",
  "/postman.json": "/postman.json",
};
/** Built pages. A checkout without a build answers 404. */
const PAGES = [
  "/",
  "/llms.txt",
  "/docs",
  "/docs/",
  "/docs/*",
  "/assets/*",
  "/dashboard",
  "/dashboard/*",
  "/portal",
  "/portal/*",
];

/** Providers sign their messages or send a token of the settings. Without the provider in the settings, the answer is 404. */
const SIGNED = ["POST /providers/easypost/webhook", "POST /providers/mail/bounce", "POST /providers/stripe/webhook"];

type Ids = Record<string, string>;
type Body = Record<string, unknown> | string | undefined;

const [WILLOW, JUNIPER, HARBOR] = [0, 1, 2];
/** No request is sent by a browser, so each one says what a browser would. */
const JSON_BODY = { "content-type": "application/json" };
/** A body that no route takes: a caller with access gets a validation error and changes nothing. */
const NONSENSE = JSON.stringify({ nothing: "sensible" });

let app: TestApp;
let asker: Asker;
const people = new Map<string, WebPerson>();
let willow_id: string;
let juniper: WebPerson;
/** Records of Willow. The second set is for the addresses with `/v1`, because a deleted record is gone. */
let own: [Ids, Ids];
/** Ids of the right form that no record has. */
let absent: Ids;
let tokens: Record<"own" | "other" | "production" | "intake" | "scopeless", string>;

beforeAll(async () => {
  // A provider whose test fails at once: no one listens there.
  app = await startTestApp({
    unlimited: true,
    env: { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "a@larkspur.example" },
  });
  asker = new Asker(16);
  willow_id = await partnerOf(WILLOW);
  for (const role of staff) people.set(role, await webPerson(app, role));
  for (const role of partnerPeople) people.set(role, await webPerson(app, role, willow_id));
  juniper = await webPerson(app, "partner_admin", await partnerOf(JUNIPER));
  await app.deps.db.transaction(async (tx) => {
    const given = { name: "Willow Telehealth", environment: "production", workflow: "api_driven" } as const;
    await createPartnerAccount(tx, { ...given, ncpdp_id: null }, app.deps.now());
  });
  own = [await idsOf(willow_id), await idsOf(willow_id)];
  absent = {
    month: "1999-01",
    patient_id: "absent-1",
    patient_key: "99999999",
    prescription_id: "99999999",
    order_number: "0000000000",
    address_id: "99999999",
    entry_id: "99999999",
    item_id: "99999999",
    id: randomUUID(),
    endpoint_id: randomUUID(),
    event_id: randomUUID(),
    schedule_id: randomUUID(),
    renewal_request_id: randomUUID(),
    request_id: randomUUID(),
    credential_id: "00000000",
    person_id: "000000000000",
  };
  const scopeless = await credentialOf(WILLOW, []);
  tokens = {
    own: await app.token(WILLOW),
    other: await app.token(JUNIPER),
    production: await app.token(HARBOR),
    intake: await freshToken(app, app.demo.intake, "intake"),
    scopeless: await freshToken(app, scopeless, ""),
  };
});
afterAll(async () => {
  asker.close();
  await app.stop();
});

async function partnerOf(partner: number): Promise<string> {
  const { account_id } = app.demo.partners[partner]!;
  const { rows } = await app.deps.db.raw("select partner_id from account where account_id = $1", [account_id]);
  return String(rows[0]!["partner_id"]);
}

const credentialOf = (partner: number, scopes: ("partners" | "intake")[] = ["partners"]) => {
  const { account_id } = app.demo.partners[partner]!;
  return app.deps.db.transaction((tx) =>
    createCredential(app.deps, tx, { account_id, name: randomUUID(), scopes }, app.deps.now()),
  );
};

const scheduleOf = (patient_id: string, prescription_id: number) => ({
  patient_id,
  prescription_id,
  shipping: { method_id: 1 },
  consent: { given_at: "2026-01-05T09:00:00Z", method: "verbal" },
});

/** One of every record that a path can name. */
async function idsOf(partner_id: string): Promise<Ids> {
  const { account_id } = app.demo.partners[WILLOW]!;
  const { patient_id, prescription_id, body } = await newOrder(app);
  const { order_number } = await placed(app, body);
  const scheduled = await app.call("/refill_schedules", {
    method: "POST",
    headers: JSON_BODY,
    body: JSON.stringify(scheduleOf(patient_id, prescription_id)),
  });
  const { schedule_id } = (await scheduled.json()) as { schedule_id: string };
  await simulate(app, "order", { order_number, to: "Shipped" });
  const renewed = await app.call(`/prescriptions/${prescription_id}/renewal_requests`, { method: "POST" });
  const { renewal_request_id } = (await renewed.json()) as { renewal_request_id: string };
  const sent = { patient_safety: { medications: ["melatonin"] } };
  const patched = await app.call(`/patients/${patient_id}`, {
    method: "PATCH",
    headers: JSON_BODY,
    body: JSON.stringify(sent),
  });
  const { patient_safety } = (await patched.json()) as { patient_safety: { entries: { entry_id: number }[] } };
  const hooks = webhookCalls(app);
  const endpoint = await hooks.create({ url: "http://127.0.0.1:9/hook", events: ["ENDPOINT_DISABLED"] });
  const { event_id } = await hooks.test(endpoint.id);
  const request = await app.call("/brands");
  await request.text();
  await keepRequests(app.deps);
  const { client_id } = await credentialOf(WILLOW);
  const { rows } = await app.deps.db.raw(
    `insert into review (account_id, kind, intake_message_id, created_at)
    select $1, 'processing_failed', intake_message_id, now() from intake_message order by random() limit 1
    returning review_id`,
    [account_id],
  );
  const zone = app.deps.config.TIME_ZONE;
  const what = { kind: "fee" as const, amount_cents: 1, description: "A fee" };
  const fee = { ...what, account_id, order_number: null, on: null, key: "matrix-fee" };
  const { booked_at } = await bookAdjustment({ db: app.deps.db, zone, now: app.deps.now() }, fee);
  return {
    patient_id,
    patient_key: String(await patientKeyOf(app, account_id, patient_id)),
    month: dateIn(zone, booked_at).slice(0, 7),
    prescription_id: String(prescription_id),
    order_number,
    address_id: "1",
    entry_id: String(patient_safety.entries.at(-1)!.entry_id),
    id: endpoint.id,
    endpoint_id: endpoint.id,
    event_id,
    schedule_id,
    renewal_request_id,
    request_id: request.headers.get("x-request-id")!,
    client_id,
    credential_id: client_id.split("-")[1]!,
    account_id,
    item_id: "1",
    kind: "slip",
    report: "dispensing",
    provider: "smtp",
    format: "csv",
    person_id: (await webPerson(app, "partner_viewer", partner_id)).person_id,
    session_id: "0".repeat(32),
    passkey_id: "0".repeat(32),
    staff_id: (await webPerson(app, "technician")).person_id,
    review_id: String(rows[0]!["review_id"]),
  };
}

/** Ids that only Willow's records have, so that another caller's answer must not contain them. */
const secrets = () =>
  own.flatMap(({ patient_id, order_number, id, event_id, request_id, credential_id, person_id }) => [
    ...[patient_id!, order_number!, id!, event_id!, request_id!, credential_id!, person_id!],
  ]);

/** Two answers about different records are the same answer if they differ only in the ids that the caller sent. */
const hide = (text: string): string =>
  [...own, absent]
    .flatMap(({ patient_id, order_number, id, event_id }) => [patient_id!, order_number!, id!, event_id!])
    .reduce((left, id) => left.replaceAll(id, "id"), text)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uuid");

const filled = (path: string, ids: Ids) =>
  path.replaceAll(/(?::|\{)(\w+)\}?/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`no id for ${name} in ${path}: add one to idsOf`);
    return id;
  });

/** The methods that the table has for a path. A path that can be read can also be asked for its headers. */
const methodsOf = (routes: readonly { method: string; path: string }[], path: string): Set<string> => {
  const found = new Set(routes.filter((route) => route.path === path).map(({ method }) => method));
  if (found.has("GET")) found.add("HEAD");
  return found;
};
const wrongMethods = (routes: readonly { method: string; path: string }[], path: string): Method[] => {
  const right = methodsOf(routes, path);
  return METHODS.filter((method) => !right.has(method));
};
const pathsOf = (routes: readonly { path: string }[]) => [...new Set(routes.map(({ path }) => path))];
/** A row of the table, and the HEAD request that comes with a GET. */
const withHead = (method: string) => (method === "GET" ? ["GET", "HEAD"] : [method]);

/** Rows that only a request adds, so that a job cannot change them meanwhile. */
async function requested(): Promise<unknown[]> {
  const { orders, items, notes, action_requests, answers, fingerprints } = await footprint(app);
  return [orders, items, notes, action_requests, answers, fingerprints];
}

async function expectAll(cells: readonly Cell[], least: number): Promise<void> {
  expect(await asker.wrongCells(cells, hide)).toEqual([]);
  expect(cells.length).toBeGreaterThan(least);
}

/* The partner API and the intake. */

const partnerApi: readonly Endpoint[] = endpoints.filter(({ server }) => server === "partner");
const intakeApi: readonly Endpoint[] = endpoints.filter(({ server }) => server === "intake");
const bearerRoutes = [...partnerApi, ...intakeApi];
const PREFIXES = ["", "/v1"] as const;

/** The table's example, about the given records. */
function bodyOf({ operation_id, body }: Endpoint, ids: Ids): Body {
  const { patient_id = "", prescription_id, order_number } = ids;
  if (operation_id === "createOrder") {
    return orderOf({ patient_id, prescription_id: Number(prescription_id) });
  }
  if (operation_id === "createRefillSchedule") return scheduleOf(patient_id, Number(prescription_id));
  if (operation_id === "simulate") {
    return { simulation_type: "order", simulation: { order_number, to: "Filling" } };
  }
  return body?.example as Body;
}

function bearerRequest(endpoint: Endpoint, prefix: string, ids: Ids, method: string, token?: string): Asked {
  const body = bodyOf(endpoint, ids);
  return {
    url: `${app.addresses.base_url}${prefix}${filled(endpoint.path, ids)}`,
    method,
    headers: {
      accept: "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": endpoint.body!.content_type }),
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
}

/** Every row of a table at both addresses. */
const bearerCells = (routes: readonly Endpoint[], cellsOf: (cell: BearerCell) => Cell[]): Cell[] =>
  routes.flatMap((endpoint) =>
    PREFIXES.flatMap((prefix, set) =>
      withHead(endpoint.method).flatMap((method) => cellsOf({ endpoint, prefix, ids: own[set]!, method })),
    ),
  );
type BearerCell = { endpoint: Endpoint; prefix: string; ids: Ids; method: string };

const cell = (name: string, outcome: Outcome, { endpoint, prefix, ids, method }: BearerCell, token?: string): Cell => ({
  name,
  outcome,
  asked: bearerRequest(endpoint, prefix, ids, method, token),
});

test("partner API and intake: a caller without the route's scope is unknown, at every route", async () => {
  const before = await requested();
  const wrongOnes = (scope: "partners" | "intake"): [string, string | undefined][] => [
    ["no token", undefined],
    ["a malformed token", "nonsense"],
    ["a token without scopes", tokens.scopeless],
    scope === "partners" ? ["a network's token", tokens.intake] : ["a partner's token", tokens.own],
  ];
  const cells = bearerCells(bearerRoutes, (each) => {
    const scope = each.endpoint.auth === "bearer:intake" ? "intake" : "partners";
    return wrongOnes(scope).map(([name, token]) => cell(name, "unknown caller", each, token));
  });
  await expectAll(cells, 250);
  expect(await requested()).toEqual(before);
});

test("partner API: another tenant and another environment get the answer for a record that does not exist", async () => {
  const before = await requested();
  const cells = bearerCells(partnerApi, (each) => {
    const { endpoint, prefix, method, ids } = each;
    const asks = (token: string) => bearerRequest(endpoint, prefix, ids, method, token);
    const likeAbsent = (token: string) => bearerRequest(endpoint, prefix, absent, method, token);
    const namesRecords = JSON.stringify(asks("")) !== JSON.stringify(likeAbsent(""));
    const others = { "another partner": tokens.other, "another environment": tokens.production };
    return Object.entries(others).map(([name, token]) => {
      const outcome = namesRecords ? "absent" : "allowed";
      return { name, outcome, asked: asks(token), like: likeAbsent(token), without: secrets() };
    });
  });
  await expectAll(cells, 120);
  expect(await requested()).toEqual(before);
});

test("every path of every listener: a method that its tables do not have", async () => {
  const before = await requested();
  const { base_url, auth_url, sandbox_auth_url } = app.addresses;
  const bearer = PREFIXES.flatMap((prefix) =>
    pathsOf(bearerRoutes).flatMap((path) =>
      wrongMethods(bearerRoutes, path).flatMap((method) =>
        [undefined, tokens.own, tokens.other, tokens.intake].map((token): Cell => {
          const headers = { accept: "application/json", ...(token && { authorization: `Bearer ${token}` }) };
          const url = `${base_url}${prefix}${filled(path, own[0])}`;
          return { name: token ? "a token" : "no token", outcome: "wrong method", asked: { url, method, headers } };
        }),
      ),
    ),
  );
  const web = pathsOf(webRoutes).flatMap((path) =>
    wrongMethods(webRoutes, path).flatMap((method) =>
      [["nobody", {}] as const, ...[...people].map(([role, { headers }]) => [role, headers] as const)].map(
        ([name, headers]): Cell => {
          const url = `${base_url}/web${filled(path, { ...own[0], environment: "sandbox" })}`;
          return { name, outcome: "wrong method", asked: { url, method, headers } };
        },
      ),
    ),
  );
  const tokenRoutes = [...endpoints.filter(({ server }) => server === "token"), { method: "GET", path: "/healthz" }];
  const token = [auth_url, sandbox_auth_url].flatMap((server) =>
    pathsOf(tokenRoutes).flatMap((path) =>
      wrongMethods(tokenRoutes, path).map(
        (method): Cell => ({
          name: "nobody",
          outcome: "wrong method",
          asked: { url: `${server}${path}`, method, headers: {} },
        }),
      ),
    ),
  );
  // A missing document or asset is 404 with every method.
  const shown = PAGES.filter((page) => page !== "/docs/*" && page !== "/assets/*");
  const open = [...Object.values(OPEN), ...shown.map((page) => page.replace("*", "x"))].flatMap((path) =>
    METHODS.filter((method) => method !== "GET" && method !== "HEAD").map(
      (method): Cell => ({
        name: "nobody",
        outcome: "wrong method",
        asked: { url: `${base_url}${path}`, method, headers: {} },
      }),
    ),
  );
  await expectAll([...bearer, ...web, ...token, ...open], 3_000);
  expect(await requested()).toEqual(before);
});

/* The dashboard and the portal. */

const guarded = webRoutes.filter(({ roles }) => Array.isArray(roles));
const sessionRoutes = webRoutes.filter(({ roles }) => !Array.isArray(roles));
const isPortal = ({ path }: WebRoute) => path.startsWith("/portal");
const mayUse = ({ roles }: WebRoute, role: string) => (roles as readonly string[]).includes(role);

const withoutCsrf = ({ headers }: WebPerson) => ({ cookie: headers["cookie"]! });

function webRequest(route: WebRoute, method: string, given: Ids, headers: Record<string, string>): Asked {
  // The dashboard changes its own people, and the portal those of the partner.
  const ids = isPortal(route) ? given : { ...given, person_id: given["staff_id"]! };
  const query = route.path.endsWith("/signature") ? `?endpoint_id=${ids["endpoint_id"]}` : "";
  const hasBody = route.method === "POST" || route.method === "PUT" || route.method === "PATCH";
  return {
    url: `${app.addresses.base_url}/web${filled(route.path, ids)}${query}`,
    method,
    headers: { ...headers, ...(hasBody && JSON_BODY) },
    ...(hasBody && { body: NONSENSE }),
  };
}
const nowhere = ({ url: _, ...asked }: Asked): Asked => ({ url: `${app.addresses.base_url}/web/nowhere`, ...asked });

const webCells = (routes: readonly WebRoute[], cellsOf: (route: WebRoute, method: string) => Cell[]): Cell[] =>
  routes.flatMap((route) => withHead(route.method).flatMap((method) => cellsOf(route, method)));
const sandboxIds = (set = 0): Ids => ({ ...own[set]!, environment: "sandbox" });

test("dashboard and portal: each route lists roles of its own application, or is a route of the session", () => {
  for (const route of guarded) {
    const mine: readonly string[] = isPortal(route) ? partnerPeople : staff;
    expect([route.path, (route.roles as readonly string[]).every((role) => mine.includes(role))]).toEqual([
      route.path,
      true,
    ]);
  }
  expect(sessionRoutes.map(({ path }) => path).filter((path) => !path.startsWith("/session"))).toEqual([]);
});

test("dashboard and portal: without a session every route answers 401, and a role without access finds nothing", async () => {
  const before = await requested();
  const cells = webCells(guarded, (route, method) => [
    { name: "nobody", outcome: "unknown caller", asked: webRequest(route, method, sandboxIds(), {}) },
    ...[...people]
      .filter(([role]) => !mayUse(route, role))
      .map(([role, { headers }]): Cell => {
        const asked = webRequest(route, method, sandboxIds(), headers);
        return { name: role, outcome: "hidden", asked, like: nowhere(asked) };
      }),
  ]);
  await expectAll(cells, 500);
  expect(await requested()).toEqual(before);
});

test("dashboard and portal: a session without its CSRF token, or from another site, changes nothing", async () => {
  const before = await requested();
  const changing = guarded.filter(({ method }) => method !== "GET");
  const cells = webCells(changing, (route, method) =>
    [...people]
      .filter(([role]) => mayUse(route, role))
      .flatMap(([role, person]): Cell[] =>
        [
          ["no CSRF token", withoutCsrf(person)] as const,
          ["another person's CSRF token", { ...withoutCsrf(person), "x-csrf-token": juniper.headers["x-csrf-token"]! }],
          ["another site", { ...person.headers, "sec-fetch-site": "cross-site" }],
          ["another origin", { ...person.headers, origin: "https://elsewhere.example" }],
        ].map(([name, headers]): Cell => {
          const asked = webRequest(route, method, sandboxIds(), headers as Record<string, string>);
          return { name: `${role}, ${name}`, outcome: "hidden", asked, like: nowhere(asked) };
        }),
      ),
  );
  await expectAll(cells, 300);
  expect(await requested()).toEqual(before);
});

test("portal: another partner and another environment get the answer for a record that does not exist", async () => {
  const before = await requested();
  const cells = webCells(guarded.filter(isPortal), (route, method) => {
    const recordsIn = (environment: Environment, ids: Ids, who: WebPerson) =>
      webRequest(route, method, { ...ids, environment }, who.headers);
    const admin = people.get("partner_admin")!;
    const ofRecord = /:(?!environment)/.test(route.path);
    const ofPerson = route.path.includes(":person_id");
    const outcome = ofRecord ? "absent" : "allowed";
    const foreign: Cell = {
      name: "another partner",
      outcome,
      asked: recordsIn("sandbox", own[0], juniper),
      like: recordsIn("sandbox", absent, juniper),
      without: secrets(),
    };
    if (!route.path.includes(":environment")) return [foreign];
    const nothing = recordsIn("production", own[0], juniper);
    const missing: Cell = { name: "without an account", outcome: "hidden", asked: nothing, like: nowhere(nothing) };
    // A user belongs to the partner, in every environment. The sandbox's own pages do not exist in production.
    if (ofPerson) return [foreign, missing];
    const asked = recordsIn("production", own[0], admin);
    const elsewhere: Cell = route.path.includes(":environment/sandbox")
      ? { name: "in production", outcome: "hidden", asked, like: nowhere(asked) }
      : { name: "in production", outcome, asked, like: recordsIn("production", absent, admin) };
    return [foreign, missing, elsewhere];
  });
  await expectAll(cells, 100);
  expect(await requested()).toEqual(before);
});

/* The token servers. */

test("token servers: a client of another environment is unknown, and another partner's token looks like none", async () => {
  const { auth_url, sandbox_auth_url } = app.addresses;
  const routes: readonly Endpoint[] = endpoints.filter(({ server }) => server === "token");
  const cells: Cell[] = [];
  for (const [server, home, foreign] of [
    [auth_url, HARBOR, WILLOW],
    [sandbox_auth_url, WILLOW, HARBOR],
  ] as const) {
    for (const endpoint of routes) {
      const ask = (credentials?: { client_id: string; client_secret: string }): Asked => ({
        url: `${server}${endpoint.path}`,
        method: endpoint.method,
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          ...(credentials && { authorization: basic(credentials) }),
        },
        ...(endpoint.method === "POST" && { body: "grant_type=client_credentials&token=none" }),
      });
      const open = endpoint.auth === "none" ? "allowed" : "unknown caller";
      cells.push({ name: "nobody", outcome: open, asked: ask() });
      // A new credential each time, because wrong tries count against the client.
      cells.push({ name: "another environment", outcome: open, asked: ask(await credentialOf(foreign)) });
      cells.push({ name: "own", outcome: "allowed", asked: ask(await credentialOf(home)) });
    }
  }
  await expectAll(cells, 20);

  const form = (path: string, token: string): Asked => ({
    url: `${sandbox_auth_url}${path}`,
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      authorization: basic(app.demo.partners[JUNIPER]!),
    },
    body: `token=${token}`,
  });
  const unknown = `${app.demo.partners[JUNIPER]!.account_id}_${"x".repeat(43)}`;
  for (const path of ["/oauth/introspect", "/oauth/revoke"]) {
    expect(await asker.ask(form(path, tokens.own))).toEqual(await asker.ask(form(path, unknown)));
  }
  expect((await app.call("/brands", { token: tokens.own })).status).toBe(200);
});

/* Callers with access, last: they change records. */

test("every route that no table has is open to everyone, and the list of those is complete", async () => {
  const { listeners, addresses } = app;
  const routed = (routes: { method: string; url: string }[]) =>
    new Set(routes.filter(({ method }) => method !== "HEAD").map(({ method, url }) => `${method} ${url}`));
  const router = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");
  const fromTables = [
    ...bearerRoutes.flatMap(({ method, path }) => PREFIXES.map((prefix) => `${method} ${prefix}${router(path)}`)),
    ...webRoutes.map(({ method, path }) => `${method} /web${path}`),
    ...[...Object.keys(OPEN), ...PAGES].map((url) => `GET ${url}`),
    ...SIGNED,
  ];
  expect([...routed(listeners.partner.routes)].sort()).toEqual([...new Set(fromTables)].sort());
  for (const signed of SIGNED) {
    const answer = await fetch(addresses.base_url + signed.split(" ")[1], { method: "POST", body: "{}" });
    expect([signed, answer.status]).toEqual([signed, 404]);
  }
  const token = endpoints.filter(({ server }) => server === "token").map(({ method, path }) => `${method} ${path}`);
  for (const listener of [listeners.auth, listeners.sandbox_auth]) {
    expect([...routed(listener.routes)].sort()).toEqual([...token, "GET /healthz"].sort());
  }
  const open = [
    ...Object.values(OPEN).map((path) => `${addresses.base_url}${path}`),
    `${addresses.auth_url}/healthz`,
    `${addresses.sandbox_auth_url}/healthz`,
  ];
  const cells = open.flatMap((url) =>
    ["GET", "HEAD"].map(
      (method): Cell => ({ name: "nobody", outcome: "allowed", asked: { url, method, headers: {} } }),
    ),
  );
  await expectAll(cells, 10);
});

test("the owner, and each role with access, gets an answer of its own", async () => {
  const bearer = [
    ...bearerCells(partnerApi, (each) => [cell("the owner", "allowed", each, tokens.own)]),
    ...bearerCells(intakeApi, (each) => [cell("a network", "allowed", each, tokens.intake)]),
  ];
  const web: Cell[] = [];
  for (const route of guarded) {
    for (const [role, { headers }] of [...people].filter(([one]) => mayUse(route, one))) {
      // Each deletion needs a record of its own.
      const ids = route.method === "DELETE" ? { ...sandboxIds(), ...(await idsOf(willow_id)) } : sandboxIds();
      for (const method of withHead(route.method)) {
        const outcome = method === "POST" && route.path.endsWith("/certification") ? "allowed in turn" : "allowed";
        web.push({ name: role, outcome, asked: webRequest(route, method, ids, headers) });
      }
    }
  }
  const session = webCells(sessionRoutes, (route, method) => [
    {
      name: "nobody",
      outcome: route.roles === "anyone" ? "allowed" : "unknown caller",
      asked: webRequest(route, method, sandboxIds(), {}),
    },
    ...[...people].map(
      ([role, { headers }]): Cell => ({
        name: role,
        outcome: "allowed",
        asked: webRequest(route, method, sandboxIds(), headers),
      }),
    ),
  ]);
  const all = [...bearer, ...web, ...session];
  expect(all.length).toBeGreaterThan(450);
  const isRead = ({ asked: { method } }: Cell) => method === "GET" || method === "HEAD";
  expect(await asker.wrongCells(all.filter(isRead), hide)).toEqual([]);
  // One change after another, because two changes of one record at once may be a conflict. What ends a record comes
  // last, and what ends a session comes after that.
  const rank = ({ asked: { method, url } }: Cell) =>
    (url.includes("/web/session") ? 2 : 0) +
    (method === "DELETE" && url.endsWith("/web/session") ? 2 : 0) +
    (method === "DELETE" || /\/(disable|revoke)$/.test(url) ? 1 : 0);
  const changes = all.filter((each) => !isRead(each)).sort((a, b) => rank(a) - rank(b));
  expect(await asker.wrongCells(changes, hide, 1)).toEqual([]);
});
