import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrder, placed } from "../../support/orders.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { pathOf, spansAt } from "../../support/spans.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { urlAs } from "../../support/test-cluster.ts";
import { type StreamingPair, startStreamingPair } from "../../support/tools/streaming-pair.ts";
import { until } from "../../support/tools/until.ts";
import { webPerson } from "../../support/web.ts";

let servers: StreamingPair;
/** Two processes of the service with the same replica. */
let one: TestApp;
let two: TestApp;
/** Receives the traces of the first one. */
let collector: Receiver;
beforeAll(async () => {
  servers = await startStreamingPair();
  collector = await openReceiver();
  one = await startService({ unlimited: true, OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin });
  two = await startService({});
  await until(() => replicaServes(one) && replicaServes(two), "the replica serves both");
});
afterAll(async () => {
  await one?.stop();
  await two?.stop();
  await collector?.close();
  await servers.stop();
});

function startService({
  unlimited = false,
  ...settings
}: {
  unlimited?: boolean;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
}): Promise<TestApp> {
  const { primary_url: url, demo, replica_url, master_key } = servers;
  const env = { READ_DATABASE_URL: urlAs("service", replica_url), MASTER_KEY: master_key, ...settings };
  return startTestApp({ url, demo, env, unlimited });
}

const replicaServes = (app: TestApp) => app.deps.replicas!.problems().length === 0;

/** How often a process answered a read that a replica may answer, by who answered it. */
async function readsOf(app: TestApp) {
  const body = await app.deps.metrics.text();
  const count = (answered: string) =>
    Number(new RegExp(`^pestle_replica_reads_total\\{answered="${answered}"\\} (\\d+)`, "m").exec(body)?.[1] ?? 0);
  return { replica: count("replica"), behind: count("behind"), out_of_reach: count("out_of_reach") };
}

/** The order numbers of a list, and who answered it. */
async function listed(app: TestApp, partner = 0) {
  const before = await readsOf(app);
  const response = await app.call("/orders", { partner });
  const { orders } = (await response.json()) as { orders: { order_number: string }[] };
  const after = await readsOf(app);
  const by = (["replica", "behind", "out_of_reach"] as const).find((name) => after[name] > before[name]);
  return { by, numbers: orders.map(({ order_number }) => order_number), etag: response.headers.get("etag")! };
}

/** On a busy machine, a replica that stands still is soon too far behind for anyone. */
const BY_PRIMARY = ["behind", "out_of_reach"];

const isOnReplica = async (order_number: string) =>
  (await servers.onReplica("select from orders where order_number = $1", [order_number])).length === 1;
const pause = () => servers.onReplica("select pg_wal_replay_pause()");
const resume = () => servers.onReplica("select pg_wal_replay_resume()");

test("a replica answers lists, each account sees its own rows there, and a write appears in the next list", async () => {
  const { body } = await newOrder(one);
  const { order_number } = await placed(one, body);
  for (const app of [one, two]) {
    const own = await listed(app);
    expect(own).toMatchObject({ by: "replica", numbers: expect.arrayContaining([order_number]) });
    const other = await listed(app, 1);
    expect(other.by).toBe("replica");
    expect(other.numbers).not.toContain(order_number);
  }
});

test("records that events are about, the feed and the catalogue come from the primary", async () => {
  const before = await readsOf(one);
  const [newest] = (await listed(one)).numbers;
  for (const path of [`/orders/${newest}`, "/webhook_events", "/products", "/requests"])
    expect((await one.call(path)).status).toBe(200);
  expect(await readsOf(one)).toEqual({ ...before, replica: before.replica + 1 });
});

test("while the replica stands still, each process shows what the account wrote at another one", async () => {
  const { body } = await newOrder(one);
  const shown = await listed(two);
  // The primary and the replica give the same version of an unchanged row, so answers agree.
  const other = await listed(two, 1);
  expect(other.by).toBe("replica");
  await pause();
  let order_number: string;
  try {
    order_number = (await placed(one, body)).order_number;
    expect(await isOnReplica(order_number)).toBe(false);
    for (const app of [two, one]) {
      const { by, numbers } = await listed(app);
      expect(numbers).toContain(order_number);
      expect(BY_PRIMARY).toContain(by);
    }
    const { headers, status } = await one.call("/orders", { partner: 1, headers: { "if-none-match": other.etag } });
    expect([status, headers.get("etag")]).toEqual([304, other.etag]);
  } finally {
    await resume();
  }
  await until(async () => (await listed(two)).by === "replica", "the replica has caught up");
  const after = await listed(two);
  expect(after.numbers).toEqual([order_number, ...shown.numbers]);
  expect(after.etag).toBe((await listed(one)).etag);
});

test("a process that starts later shows what an account wrote that the others knew about before", async () => {
  const { body } = await newOrder(one);
  const { body: second } = await newOrder(one);
  await placed(one, body);
  const three = await startService({});
  try {
    await until(() => replicaServes(three), "the replica serves it");
    await pause();
    const { order_number } = await placed(one, second);
    const { by, numbers } = await listed(three);
    expect(numbers).toContain(order_number);
    expect(BY_PRIMARY).toContain(by);
  } finally {
    await resume();
    await three.stop();
  }
});

test("a replica that stands still for long answers nothing, and neither does one that stopped", async () => {
  await pause();
  await until(() => !replicaServes(two), "it is too far behind");
  expect((await listed(two, 1)).by).toBe("out_of_reach");
  await resume();
  await until(() => replicaServes(two), "it has caught up");

  await servers.stopReplica();
  expect((await listed(two, 1)).numbers).toBeDefined();
  await until(() => !replicaServes(two), "it is out of reach");
  expect((await listed(two, 1)).by).toBe("out_of_reach");
  const ready = await fetch(`${two.addresses.base_url}/readyz`);
  expect(ready.status).toBe(200);
  expect(JSON.stringify(await ready.json())).toContain("the primary answers its reads");
  await servers.startReplica();
  await until(() => replicaServes(two), "it is back");
  await until(async () => (await listed(two, 1)).by === "replica", "it answers again");
});

test("reports of the dashboard and pages of the portal read from a replica, too", async () => {
  const lead = await webPerson(one, "admin");
  // The test before restarted the replica, and each process notices that by itself.
  await until(() => replicaServes(one), "the replica serves it");
  const before = await readsOf(one);
  expect((await lead.get("/dashboard/audit")).status).toBe(200);
  expect((await lead.get("/dashboard/figures?days=7")).status).toBeLessThan(500);
  const { rows } = await one.owner.raw("select partner_id from account where account_id = $1", [
    one.demo.partners[0]!.account_id,
  ]);
  const developer = await webPerson(one, "partner_developer", String(rows[0]!["partner_id"]));
  expect((await developer.get("/portal/sandbox/orders")).status).toBe(200);
  expect((await readsOf(one)).replica).toBe(before.replica + 3);

  // Each statement has one span, wherever it ran.
  const paths = () => spansAt(collector).map((span) => pathOf(spansAt(collector), span).join(" > "));
  await until(async () => {
    await one.deps.tracer!.close();
    return paths().includes("GET /web/portal/:environment/orders");
  }, "the spans are sent");
  const statementsOf = (request: string) =>
    paths().flatMap((path) => (path.startsWith(`${request} > `) ? [path.slice(request.length + 3)] : []));
  const page = statementsOf("GET /web/portal/:environment/orders");
  for (const once of ["select account", "select orders"])
    expect(page.filter((statement) => statement === once)).toHaveLength(1);
  expect(statementsOf("GET /web/dashboard/audit")).toContain("select person");
});
