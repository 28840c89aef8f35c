import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ask } from "../../support/patient.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { arrived } from "../../support/simulate.ts";
import { pathOf, spansAt } from "../../support/spans.ts";
import { createTestDatabase, startTestApp, type TestApp } from "../../support/test-app.ts";
import { DEMO_TEMPLATE } from "../../support/test-cluster.ts";
import { until } from "../../support/tools/until.ts";
import { webhookCalls } from "../../support/webhook-api.ts";

/** Three processes with different roles on one database, and a collector of their traces. */
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let front: TestApp;
let back: TestApp;
let pages: TestApp;
let receiver: Receiver;
let collector: Receiver;
beforeAll(async () => {
  database = await createTestDatabase(DEMO_TEMPLATE);
  collector = await openReceiver();
  const OTEL_EXPORTER_OTLP_ENDPOINT = new URL(collector.url).origin;
  const start = (ROLES: string) =>
    startTestApp({ url: database.url, demo: inject("demo"), env: { ROLES, OTEL_EXPORTER_OTLP_ENDPOINT } });
  [front, back, pages] = await Promise.all([start("api,token"), start("courier,jobs"), start("web")]);
  receiver = await openReceiver();
});
afterAll(async () => {
  await Promise.all([front, back, pages].map((app) => app.stop()));
  await receiver.close();
  await collector.close();
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

test("the trace of a partner's request goes on in its statements, in the webhook of another process and at the receiver", async () => {
  const trace_id = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${trace_id}-b7ad6b7169203331-01`, "content-type": "application/json" };
  const simulation = { simulation_type: "prescription", simulation: { patient: { last_name: "Quillfeather" } } };
  const before = receiver.received.length;
  const answered = await front.call("/simulate", { method: "POST", headers, body: JSON.stringify(simulation) });
  const { patient_id } = (await answered.json()) as { patient_id: string };
  await receiver.arrived(before + 1);
  const ofTrace = () => spansAt(collector).filter((span) => span.trace_id === trace_id);
  const paths = () => ofTrace().map((span) => pathOf(ofTrace(), span).join(" > "));
  await until(async () => {
    await Promise.all([front, back].map(({ deps }) => deps.tracer!.close()));
    return paths().some((path) => path.endsWith("deliver webhook"));
  }, "the spans are sent");
  expect(paths()).toEqual(
    expect.arrayContaining([
      "POST /simulate",
      "POST /simulate > simulate > write > transaction > save_intake",
      "POST /simulate > simulate > deliver webhook",
    ]),
  );
  const [server] = ofTrace().filter(({ name }) => name === "POST /simulate");
  expect(server).toMatchObject({
    parent: "b7ad6b7169203331",
    attributes: {
      "http.route": "/simulate",
      "http.response.status_code": "202",
      "pestle.request_id": answered.headers.get("x-request-id"),
      "pestle.account_id": front.demo.partners[0]!.account_id,
    },
    resource: { "service.name": "pestle", "pestle.roles": "api,token" },
  });
  const [delivery] = ofTrace().filter(({ name }) => name === "deliver webhook");
  expect(delivery).toMatchObject({ failed: false, resource: { "pestle.roles": "courier,jobs" } });
  expect(receiver.received.at(-1)!.headers["traceparent"]).toBe(`00-${trace_id}-${delivery!.span_id}-01`);
  // Names of our own code and tables, and nothing of the patient.
  const recorded = JSON.stringify(spansAt(collector));
  for (const secret of [patient_id, "Quillfeather"]) expect(recorded).not.toContain(secret);
  const [line] = front.lines().filter((one) => one["trace_id"] === trace_id);
  expect(line).toMatchObject({ route: "/simulate", status: 202 });
});

test("the buckets of a traced request name its trace to a reader that understands it", async () => {
  const accept = "application/openmetrics-text;version=1.0.0";
  const answer = await fetch(`${front.addresses.base_url}/metrics`, { headers: { accept } });
  expect(answer.headers.get("content-type")).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
  expect(await answer.text()).toMatch(
    /pestle_http_request_duration_seconds_bucket\{.*route="\/simulate",status="202"\} \d+ # \{trace_id="0af7651916cd43dd8448eb211c80319c"\}/,
  );
});

test("a process with the jobs measures the work that is due, and every process its clock", async () => {
  const metricsOf = async (app: TestApp) => (await fetch(`${app.addresses.base_url}/metrics`)).text();
  await until(async () => (await metricsOf(back)).includes('pestle_overdue_work{what="webhooks"} 0'), "measured");
  const [text, other] = [await metricsOf(back), await metricsOf(front)];
  for (const what of ["messages", "parcels", "payments", "prescriptions"]) {
    expect(text).toContain(`pestle_overdue_work_age_seconds{what="${what}"} 0`);
  }
  expect(text).toMatch(/^pestle_database_size_bytes [1-9]\d{6,}$/m);
  expect(text).toMatch(/^pestle_database_replicas \d$/m);
  expect(other).toMatch(/^pestle_clock_offset_seconds -?[\d.e-]+$/m);
  expect(other).toMatch(/^pestle_data_dir_free_bytes \d+$/m);
  expect(other).toMatch(/^pestle_process_info\{version="[^"]+",roles="api,token"\} 1$/m);
  expect(other).not.toContain("pestle_overdue_work{");
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
  // Before anyone asks /readyz again.
  expect(await (await fetch(`${leaving.addresses.base_url}/metrics`)).text()).toMatch(/^pestle_ready 0$/m);
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
