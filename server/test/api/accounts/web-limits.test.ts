import { randomBytes } from "node:crypto";
import { environments } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UNKNOWN_COOKIES } from "../../../src/http/web-api.ts";
import { createPartnerAccount } from "../../../src/usecases/accounts/create-partner.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";

const NETWORK = "127.0.0.1";

let app: TestApp;
let admin: WebPerson;
let developer: WebPerson;
let partner_id: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SANDBOX_CONCURRENT_REQUESTS: "2" } });
  const { account_id } = app.demo.partners[0]!;
  const { rows } = await app.deps.db.raw("select partner_id from account where account_id = $1", [account_id]);
  await app.deps.db.transaction(async (tx) => {
    const given = { name: "Willow Telehealth", environment: "production", workflow: "api_driven" } as const;
    await createPartnerAccount(tx, { ...given, ncpdp_id: null }, app.deps.now());
  });
  partner_id = String(rows[0]!["partner_id"]);
  admin = await webPerson(app, "admin");
  developer = await webPerson(app, "partner_developer", partner_id);
  for (const person of [admin, developer]) expect((await person.get("/session")).status).toBe(200);
});
afterAll(() => app.stop());

/** A smaller limit, later, empties a bucket at once. */
const drain = (who: string, what: string) =>
  app.deps.strangers.spend(who, what, { rate_per_second: 0.001, burst: 1 }, app.deps.now().getTime() + 60_000);
const withCookie = (cookie: string) =>
  fetch(`${app.addresses.base_url}/web/dashboard/home`, { headers: { cookie: `pestle-session=${cookie}` } });
const invented = () => randomBytes(32).toString("base64url");

test("an unknown cookie is limited per network before it costs a statement, and a known session is not", async () => {
  expect((await withCookie(invented())).status).toBe(401);
  drain(NETWORK, "cookie");
  const refused = await withCookie(invented());
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await admin.get("/dashboard/home")).status).toBe(200);
  app.advance(120_000);
  // The session is still known, and a new one costs no try.
  const before = app.deps.strangers.spend(NETWORK, "cookie", UNKNOWN_COOKIES, app.deps.now().getTime()).remaining;
  const other = await webPerson(app, "technician");
  expect((await other.get("/dashboard/home")).status).toBe(200);
  const after = app.deps.strangers.spend(NETWORK, "cookie", UNKNOWN_COOKIES, app.deps.now().getTime()).remaining;
  expect(after).toBeGreaterThanOrEqual(before - 1);
});

test("a person's requests are limited, and no one else's", async () => {
  drain(developer.person_id, "web");
  const refused = await developer.get("/portal/sandbox/home");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await admin.get("/dashboard/home")).status).toBe(200);
  app.advance(120_000);
  expect((await developer.get("/portal/sandbox/home")).status).toBe(200);
});

test("the portal's pages wait for the turn of their partner and environment, and production's do not wait for the sandbox", async () => {
  const { admission } = app.environments.sandbox;
  const entered: unknown[] = [];
  const fill = () => entered.push(admission.enter(partner_id));
  expect(() => {
    for (;;) fill();
  }).toThrow();
  const [production, sandbox] = await Promise.all(
    environments.map((environment) => developer.get(`/portal/${environment}/orders`)),
  );
  expect([production!.status, sandbox!.status]).toEqual([200, 503]);
  expect(sandbox!.headers.get("retry-after")).toBe("1");
  expect((await admin.get("/dashboard/home")).status).toBe(200);
  for (const _ of entered) admission.leave(partner_id);
  expect((await developer.get("/portal/sandbox/orders")).status).toBe(200);
});
