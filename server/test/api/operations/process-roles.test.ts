import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ask } from "../../support/patient.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { arrived } from "../../support/simulate.ts";
import { createTestDatabase, startTestApp, type TestApp } from "../../support/test-app.ts";
import { DEMO_TEMPLATE } from "../../support/test-cluster.ts";
import { until } from "../../support/tools/until.ts";
import { webhookCalls } from "../../support/webhook-api.ts";

/** Three processes with different roles on one database. */
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let front: TestApp;
let back: TestApp;
let pages: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  database = await createTestDatabase(DEMO_TEMPLATE);
  const start = (ROLES: string) => startTestApp({ url: database.url, demo: inject("demo"), env: { ROLES } });
  [front, back, pages] = await Promise.all([start("api,token"), start("courier,jobs"), start("web")]);
  receiver = await openReceiver();
});
afterAll(async () => {
  await Promise.all([front, back, pages].map((app) => app.stop()));
  await receiver.close();
  await database.drop();
});

const statusAt = async (app: TestApp, path: string) =>
  (await fetch(app.addresses.base_url + path, { headers: { accept: "application/json" } })).status;

test.each([
  ["/healthz", [200, 200, 200]],
  ["/metrics", [200, 200, 200]],
  ["/v1/orders", [401, 404, 404]],
  ["/openapi.json", [200, 404, 200]],
  ["/web/session", [404, 404, 200]],
])("%s answers where a role serves it", async (path, statuses) => {
  expect(await Promise.all([front, back, pages].map((app) => statusAt(app, path)))).toEqual(statuses);
});

test("only a process with the role opens the token ports", () => {
  const open = [front, back, pages].map(({ listeners: { auth, sandbox_auth } }) => [
    auth.server.listening,
    sandbox_auth.server.listening,
  ]);
  expect(open).toEqual([
    [true, true],
    [false, false],
    [false, false],
  ]);
});

test("/readyz names the roles of the process", async () => {
  const rolesAt = async (app: TestApp) => {
    await until(async () => (await statusAt(app, "/readyz")) === 200, "ready");
    const { roles } = (await (await fetch(`${app.addresses.base_url}/readyz`)).json()) as { roles: object };
    return roles;
  };
  const well = { ready: true, problems: [] };
  expect(await rolesAt(front)).toEqual({ api: well, token: well });
  expect(await rolesAt(back)).toEqual({ courier: well, jobs: well });
  expect(await rolesAt(pages)).toEqual({ web: well });
});

test("an event that one process writes is sent by the process with the couriers", async () => {
  const calls = webhookCalls(front);
  const { id } = await calls.create({ url: receiver.url });
  const { event_id } = await calls.test(id);
  await calls.settled(event_id);
  expect(receiver.received).toHaveLength(1);
});

test("a prescription that one process takes becomes an order in the process with the jobs", async () => {
  const { patient_id } = await arrived(front, {}, { partner: 1 });
  const ordered = async () => {
    const { text } = await ask(front, `/orders?patient_id=${patient_id}`, undefined, { partner: 1 });
    return (JSON.parse(text) as { orders: unknown[] }).orders.length === 1;
  };
  await until(ordered, "Automatic Processing made an order");
});

test("a process that admits no requests takes no share of the rate limits", async () => {
  const { rows } = await front.owner.raw("select process_id from server_process");
  expect(rows).toHaveLength(1);
});

test("a process that stops says so for as long as it drains, and then closes", async () => {
  const leaving = await startTestApp({
    url: database.url,
    demo: inject("demo"),
    env: { ROLES: "api,token", DRAIN_SECONDS: "1" },
  });
  await until(async () => (await statusAt(leaving, "/readyz")) === 200, "ready");
  const stopped = leaving.stop();
  const refused = await fetch(`${leaving.addresses.base_url}/readyz`);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({
    status: "not_ready",
    roles: { api: { ready: false, problems: ["the process is stopping"] } },
    error: { error_code: 503 },
  });
  const served = await leaving.call("/products");
  expect([served.status, served.headers.get("connection")]).toEqual([200, "close"]);
  await stopped;
  await expect(fetch(`${leaving.addresses.base_url}/healthz`)).rejects.toThrow();
});
