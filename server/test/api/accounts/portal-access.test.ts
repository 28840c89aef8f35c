import { portalRoleNames as partnerPeople, staffRoleNames as staff } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebRoute } from "../../../src/http/web-api.ts";
import { webRoutes } from "../../../src/http/web-routes.ts";
import { createPartnerAccount } from "../../../src/usecases/accounts/create-partner.ts";
import { createCredential } from "../../../src/usecases/accounts/manage-credentials.ts";
import { keepRequests } from "../../../src/usecases/operations/keep-requests.ts";
import { bookAdjustment } from "../../../src/usecases/statements/book-adjustment.ts";
import { withoutId } from "../../support/conventions.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { signedIn, type Told, type WebPerson, webPerson } from "../../support/web.ts";

const portal = webRoutes.filter(({ path }) => path.startsWith("/portal"));
type Kind =
  | "order_number"
  | "credential_id"
  | "person_id"
  | "request_id"
  | "prescription_id"
  | "schedule_id"
  | "endpoint_id"
  | "event_id"
  | "month";

/** Parameters with which a route succeeds. A route without a row fails the test. */
const bodies: Record<string, (ids: Record<Kind, string>) => unknown> = {
  "POST /portal/:environment/credentials": () => ({ name: "another" }),
  "POST /portal/:environment/credentials/:credential_id/rotate": () => ({}),
  "POST /portal/:environment/credentials/:credential_id/sign": () => ({ secret_id: 1 }),
  "POST /portal/:environment/credentials/:credential_id/finish": () => ({}),
  "POST /portal/:environment/credentials/:credential_id/revoke": () => ({}),
  "PATCH /portal/:environment/credentials/:credential_id": () => ({ token_lifetime_s: 900 }),
  "POST /portal/:environment/credentials/:credential_id/keys": () => ({
    key: { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "rfc8037" },
  }),
  "POST /portal/:environment/credentials/:credential_id/keys/remove": () => ({ kid: "rfc8037" }),
  "POST /portal/:environment/webhook_endpoints": () => ({ url: "http://127.0.0.1:9/hook", secret: "ours" }),
  "PATCH /portal/:environment/webhook_endpoints/:endpoint_id": () => ({ description: "changed" }),
  "DELETE /portal/:environment/webhook_endpoints/:endpoint_id": () => undefined,
  "POST /portal/:environment/webhook_endpoints/:endpoint_id/test": () => ({}),
  "POST /portal/:environment/webhook_endpoints/:endpoint_id/try_now": () => ({}),
  "POST /portal/:environment/webhook_endpoints/:endpoint_id/certification": () => ({}),
  "POST /portal/:environment/webhook_endpoints/:endpoint_id/redeliver": () => ({ since: "2026-01-01" }),
  "POST /portal/:environment/webhook_events/:event_id/redeliver": () => ({}),
  "POST /portal/:environment/orders/:order_number/actions": () => ({ event: "hold" }),
  "POST /portal/:environment/orders/:order_number/messages": () => ({ text: "Ship it before Friday, please." }),
  "POST /portal/:environment/prescriptions/:prescription_id/renewal_requests": () => ({ refills: 1 }),
  "POST /portal/:environment/refill_schedules/:schedule_id/skip": () => ({}),
  "POST /portal/:environment/refill_schedules/:schedule_id/pause": () => ({}),
  "POST /portal/:environment/refill_schedules/:schedule_id/resume": () => ({}),
  "POST /portal/:environment/refill_schedules/:schedule_id/cancel": () => ({}),
  "POST /portal/:environment/refill_schedules/:schedule_id/fill_now": () => ({}),
  "POST /portal/:environment/team": () => ({ name: "Noa", email: "noa@people.example", role: "partner_viewer" }),
  "PATCH /portal/:environment/team/:person_id": () => ({ reset_second_factor: true }),
  "POST /portal/:environment/team/:person_id/password": () => ({}),
  "POST /portal/:environment/sandbox/prescriptions": () => ({ preset: "simple" }),
  "POST /portal/:environment/sandbox/token": () => ({}),
  "POST /portal/:environment/sandbox/orders": ({ prescription_id }) => ({ prescription_id: Number(prescription_id) }),
  "POST /portal/:environment/sandbox/simulate": ({ order_number }) => ({
    simulation_type: "order",
    simulation: { order_number, to: "Shipped" },
  }),
};
/** Bodies that name a record of an account. */
const named = ["POST /portal/:environment/sandbox/orders", "POST /portal/:environment/sandbox/simulate"];
const keyOf = ({ method, path }: WebRoute) => `${method} ${path}`;

let app: TestApp;
/** Willow has a sandbox and a production account, Juniper only a sandbox. */
let willow: WebPerson;
let juniper: WebPerson;
let people: Record<string, WebPerson>;
let [own, other]: Record<Kind, string>[] = [];

beforeAll(async () => {
  app = await startTestApp();
  willow = await signedIn(app, app.demo.partners[0]!.portal);
  juniper = await signedIn(app, app.demo.partners[1]!.portal);
  await app.deps.db.transaction(async (tx) => {
    const given = {
      name: "Willow Telehealth",
      environment: "production",
      workflow: "api_driven",
      ncpdp_id: null,
    } as const;
    await createPartnerAccount(tx, given, app.deps.now());
  });
  const partner_id = await partnerOf(willow);
  people = Object.fromEntries(
    await Promise.all([
      ...partnerPeople.map(async (role) => [role, await webPerson(app, role, partner_id)] as const),
      ...staff.map(async (role) => [role, await webPerson(app, role)] as const),
    ]),
  );
  own = await idsOf(willow, 0);
  other = await idsOf(juniper, 1);
});
afterAll(() => app.stop());

async function partnerOf({ person_id }: WebPerson): Promise<string> {
  const { rows } = await app.deps.db.raw("select partner_id from person where person_id = $1", [person_id]);
  return String(rows[0]!["partner_id"]);
}

/** One of every record that an account has. */
async function idsOf(who: WebPerson, partner: number): Promise<Record<Kind, string>> {
  const { account_id } = app.demo.partners[partner]!;
  const sent = await app.call("/brands", { partner });
  await keepRequests(app.deps);
  const { patient_id, prescription_id, order_number } = (
    await who.send("POST", "/portal/sandbox/sandbox/prescriptions", { preset: "simple" })
  ).body;
  const order =
    order_number ?? (await who.send("POST", "/portal/sandbox/sandbox/orders", { prescription_id })).body.order_number;
  const consent = { given_at: "2026-01-05T09:00:00Z", method: "verbal" };
  const scheduled = await app.call("/refill_schedules", {
    partner,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ patient_id, prescription_id, shipping: { method_id: 1 }, every_days: 30, consent }),
  });
  const { schedule_id } = (await scheduled.json()) as { schedule_id: string };
  const { client_id } = await app.deps.db.transaction((tx) =>
    createCredential(app.deps, tx, { account_id, name: "one", scopes: ["partners"] }, app.deps.now()),
  );
  const given = { url: "http://127.0.0.1:9/hook", secret: "ours", events: ["ENDPOINT_DISABLED"] };
  const endpoint = (await who.send("POST", "/portal/sandbox/webhook_endpoints", given)).body;
  const { webhook_events } = (await who.get("/portal/sandbox/webhook_events")).body;
  // A month that no other account has.
  const month = `2025-0${partner + 1}`;
  const zone = app.deps.config.TIME_ZONE;
  const fee = { kind: "fee" as const, amount_cents: 1, description: "A fee", order_number: null, key: "fee" };
  await bookAdjustment({ db: app.deps.db, zone, now: app.deps.now() }, { ...fee, account_id, on: `${month}-15` });
  return {
    month,
    order_number: order,
    prescription_id: String(prescription_id),
    schedule_id,
    credential_id: client_id.split("-")[1]!,
    person_id: who.person_id,
    request_id: sent.headers.get("x-request-id")!,
    endpoint_id: endpoint.id,
    event_id: webhook_events.at(-1).event_id,
  };
}

const filled = (path: string, environment: string, ids: Record<Kind, string>) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => (name === "environment" ? environment : ids[name as Kind]));
function call(who: WebPerson, route: WebRoute, environment: string, ids: Record<Kind, string>): Promise<Told> {
  const query = route.path.endsWith("/signature") ? `?endpoint_id=${ids.endpoint_id}` : "";
  const path = filled(route.path, environment, ids) + query;
  return route.method === "GET" ? who.get(path) : who.send(route.method, path, bodies[keyOf(route)]!(ids));
}
const unknown = async (who: WebPerson) => withoutId((await who.get("/portal/sandbox/no-such-thing")).text);

describe("the portal shows only the partner's own records", () => {
  test("the table above has every route that changes data", () => {
    const changing = portal.filter(({ method }) => method !== "GET").map(keyOf);
    expect(changing.sort()).toEqual(Object.keys(bodies).sort());
  });

  for (const route of portal.filter((one) => /:(?!environment)/.test(one.path) || named.includes(keyOf(one)))) {
    test(`${keyOf(route)}: another partner's id looks like an unknown id`, async () => {
      const told = await call(willow, route, "sandbox", other!);
      expect([told.status, withoutId(told.text)]).toEqual([404, await unknown(willow)]);
    });

    // A user belongs to the partner, in any environment.
    if (route.path.includes(":person_id")) continue;
    test(`${keyOf(route)}: an id of the sandbox is unknown in production`, async () => {
      const told = await call(willow, route, "production", own!);
      expect([told.status, withoutId(told.text)]).toEqual([404, await unknown(willow)]);
    });
  }

  for (const route of portal.filter(({ path }) => path.includes(":environment"))) {
    test(`${keyOf(route)}: is 404 for a partner without an account in that environment`, async () => {
      for (const environment of ["production", "staging", "SANDBOX", "%00", other!.order_number]) {
        const told = await call(juniper, route, environment, other!);
        expect([environment, told.status, withoutId(told.text)]).toEqual([environment, 404, await unknown(juniper)]);
      }
    });
  }

  test("lists hold only the account's own records, in its environment", async () => {
    const lists = [
      "credentials",
      "webhook_endpoints",
      "webhook_events",
      "requests",
      "orders",
      "refill_schedules",
      "sandbox",
      "exceptions",
      "home",
    ];
    for (const list of lists) {
      const told = await willow.get(`/portal/sandbox/${list}`);
      expect(told.status).toBe(200);
      for (const id of Object.values(other!)) expect(told.text).not.toContain(id);
      if (list === "sandbox") continue;
      const production = await willow.get(`/portal/production/${list}`);
      for (const id of Object.values(own!)) expect(production.text).not.toContain(id);
    }
    const { people: team } = (await willow.get("/portal/production/team")).body;
    expect(team.map(({ person_id }: { person_id: string }) => person_id)).toContain(willow.person_id);
    expect(JSON.stringify(team)).not.toContain(juniper.person_id);
    const accounts = (await willow.get("/portal")).body.accounts;
    expect(accounts.map(({ environment }: { environment: string }) => environment)).toEqual(["production", "sandbox"]);
  });
});

describe("roles", () => {
  for (const route of portal) {
    test(`${keyOf(route)}: ${(route.roles as string[]).join(", ")}, and no other role`, async () => {
      for (const [role, person] of Object.entries(people)) {
        if ((route.roles as readonly string[]).includes(role)) continue;
        const told = await call(person, route, "sandbox", own!);
        expect([role, told.status, withoutId(told.text)]).toEqual([role, 404, await unknown(person)]);
      }
    });
  }

  test("viewers read everything and change nothing, developers change all but the team, and admins change all", () => {
    for (const { method, path, roles } of portal) {
      const wanted =
        method === "GET"
          ? [...partnerPeople]
          : path.includes("/team")
            ? ["partner_admin"]
            : ["partner_admin", "partner_developer"];
      expect([path, [...roles].sort()]).toEqual([path, wanted.sort()]);
    }
  });

  test("a role with access succeeds", async () => {
    for (const route of portal.filter(({ method }) => method === "GET")) {
      const told = await call(people["partner_viewer"]!, route, "sandbox", own!);
      expect([route.path, told.status]).toEqual([route.path, 200]);
    }
    const { order_number } = own!;
    const held = await people["partner_developer"]!.send("POST", `/portal/sandbox/orders/${order_number}/actions`, {
      event: "hold",
    });
    expect([held.status, held.body.order.order_status]).toEqual([201, "On Hold"]);
  });
});

test("the audit log records who opened an order, once per visit", async () => {
  const viewer = await webPerson(app, "partner_viewer", await partnerOf(willow));
  const written = async () =>
    (
      await app.deps.db.raw("select action, account_id from audit_entry where person_id = $1 and subject = $2", [
        viewer.person_id,
        own!.order_number,
      ])
    ).rows;
  const look = { action: "order_viewed", account_id: app.demo.partners[0]!.account_id };
  for (let times = 0; times < 3; times++) await viewer.get(`/portal/sandbox/orders/${own!.order_number}`);
  expect(await written()).toEqual([look]);
  app.advance(6 * 60_000);
  await viewer.get(`/portal/sandbox/orders/${own!.order_number}`);
  expect(await written()).toEqual([look, look]);
});
