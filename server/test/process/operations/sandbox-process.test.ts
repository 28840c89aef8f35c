import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ask, insist } from "../../../../chaos/ask.ts";
import { issue, read, tokenOf } from "../../../../chaos/client.ts";
import { isRunning } from "../../../../chaos/postmaster.ts";
import {
  killServer,
  removeDataDir,
  type ServerProcess,
  startServer,
  TESTED,
} from "../../../../chaos/server-process.ts";
import { until } from "../../../../chaos/until.ts";
import { type Db, openDb } from "../../../src/db/db.ts";
import { type Demo, writeDemo } from "../../../src/seed/demo-file.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { pathOf, spansAt } from "../../support/spans.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";
import { DEMO_TEMPLATE, urlAs } from "../../support/test-cluster.ts";

const [SANDBOX, PRODUCTION] = [0, 2];
const DEADLINE_MS = 120_000;
/** Together more than a page of 1 MiB. */
const EVENTS = 24;

let database: { url: string; drop(): Promise<void> };
let db: Db;
let data_dir: string;
let server: ServerProcess;
let demo: Demo;
let tokens: Record<number, string>;
/** Receives the traces of both processes. */
let collector: Receiver;

beforeAll(async () => {
  database = await createTestDatabase(DEMO_TEMPLATE);
  db = openDb({ connection: { connectionString: database.url }, pool_size: 2, named_statements: true });
  await db.raw("update account set rate_per_second = 100000, rate_burst = 100000");
  data_dir = mkdtempSync(join(tmpdir(), "pestle-sandbox-"));
  writeDemo(data_dir, inject("demo"));
  collector = await openReceiver();
  server = await startServer({
    data_dir,
    from: TESTED,
    env: {
      DATABASE_URL: urlAs("service", database.url),
      DATABASE_OWNER_URL: database.url,
      DATABASE_JOBS_URL: urlAs("jobs", database.url),
      MASTER_KEY: TEST_MASTER_KEY,
      SANDBOX_PROCESS: "separate",
      OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    },
  });
  ({ demo } = server);
  tokens = { [SANDBOX]: await newToken(SANDBOX), [PRODUCTION]: await newToken(PRODUCTION) };
}, DEADLINE_MS);

afterAll(async () => {
  await killServer(server);
  await collector.close();
  await removeDataDir(data_dir);
  await db.close();
  await database.drop();
});

const newToken = async (partner: number) =>
  tokenOf(await insist(() => issue(demo, demo.partners[partner]!), DEADLINE_MS));
const headersOf = (token: string) => ({ accept: "application/json", authorization: `Bearer ${token}` });
const get = (path: string, partner: number) => ask(`${demo.base_url}${path}`, { headers: headersOf(tokens[partner]!) });

/** The process that serves the sandbox, while there is one. */
function sandboxPid(): number | undefined {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const found = lines.map((line) => line.trim().split(/\s+/)).find(([, parent, ...args]) => isItsSandbox(parent, args));
  return found && Number(found[0]);
}
const isItsSandbox = (parent: string | undefined, args: string[]) =>
  Number(parent) === server.pid && args.some((arg) => arg.includes("sandbox-process"));

/** A read with the whole control of the connection: its local address, and when to read. */
const begin = (path: string, token: string, given: { localAddress?: string; headers?: Record<string, string> } = {}) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...headersOf(token), ...given.headers };
    request(`${demo.base_url}${path}`, { headers, localAddress: given.localAddress, agent: false }, resolve)
      .on("error", reject)
      .end();
  });

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  return text;
}

test("each environment sees its own data, and each has its own process", { timeout: DEADLINE_MS }, async () => {
  expect(sandboxPid()).toBeGreaterThan(0);
  const simulation = { event_type: "RX_RECEIVED", medication_requests: [{ note: "n".repeat(48 * 1024) }] };
  const body = JSON.stringify({ simulation_type: "event", simulation });
  const init = { method: "POST", body };
  for (let made = 0; made < EVENTS; made++) {
    const headers = { ...headersOf(tokens[SANDBOX]!), "content-type": "application/json" };
    expect((await ask(`${demo.base_url}/v1/simulate`, { ...init, headers }))?.status).toBe(202);
  }
  const headers = { ...headersOf(tokens[PRODUCTION]!), "content-type": "application/json" };
  expect((await ask(`${demo.base_url}/v1/simulate`, { ...init, headers }))?.status).toBe(404);
  const counts = [];
  for (const partner of [SANDBOX, PRODUCTION]) {
    const reply = await get("/v1/webhook_events?limit=5", partner);
    expect(reply?.status).toBe(200);
    counts.push(JSON.parse(reply!.text).webhook_events.length);
  }
  expect(counts).toEqual([5, 0]);
});

test("a trace goes on in the process that serves the request, and only there", { timeout: DEADLINE_MS }, async () => {
  const ids = { [SANDBOX]: "5".repeat(32), [PRODUCTION]: "6".repeat(32) };
  for (const partner of [SANDBOX, PRODUCTION]) {
    const headers = { ...headersOf(tokens[partner]!), traceparent: `00-${ids[partner]}-b7ad6b7169203331-01` };
    expect((await ask(`${demo.base_url}/v1/orders`, { headers }))?.status).toBe(200);
  }
  const pathsOf = (partner: number) => {
    const spans = spansAt(collector).filter(({ trace_id }) => trace_id === ids[partner]);
    return spans.map((span) => `${span.resource["pestle.process"]}: ${pathOf(spans, span).join(" > ")}`);
  };
  const inSandbox = "sandbox: GET /v1/orders > forward to the sandbox > GET /v1/orders > listOrders > select orders";
  await until(
    "both processes sent their spans",
    () => pathsOf(SANDBOX).includes(inSandbox) && pathsOf(PRODUCTION).length > 0,
    {
      deadline_ms: DEADLINE_MS,
    },
  );
  expect(pathsOf(SANDBOX)).toContain("main: GET /v1/orders > forward to the sandbox");
  expect(pathsOf(PRODUCTION)).toContain("main: GET /v1/orders > listOrders > select orders");
  expect(pathsOf(PRODUCTION).filter((path) => path.startsWith("sandbox"))).toEqual([]);
});

test.runIf(process.platform === "linux")("the scheduler prefers the thread that serves production", () => {
  const nicenessOf = (pid: number) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => ({ thread: Number(thread), nice: getPriority(Number(thread)) }));
  const main = nicenessOf(server.pid);
  const serving = main.find(({ thread }) => thread === server.pid)!.nice;
  expect(nicenessOf(sandboxPid()!).every(({ nice }) => nice > serving)).toBe(true);
  // The threads that hash passwords.
  expect(main.filter(({ nice }) => nice > serving).length).toBeGreaterThanOrEqual(4);
});

test("a token of one environment with the account of the other is refused", async () => {
  const [sandbox, production] = [tokens[SANDBOX]!, tokens[PRODUCTION]!];
  const mixed = [`${sandbox.slice(0, 12)}${production.slice(12)}`, `${production.slice(0, 12)}${sandbox.slice(12)}`];
  for (const token of mixed) {
    const reply = await ask(`${demo.base_url}/v1/orders`, { headers: headersOf(token) });
    expect([reply?.status, JSON.parse(reply!.text).error]).toEqual([401, "invalid_token"]);
  }
});

test("the audit log names the request and the address that the main process saw", {
  timeout: DEADLINE_MS,
}, async () => {
  const lies = { "x-request-id": "mine", "x-forwarded-for": "203.0.113.9", forwarded: "for=203.0.113.9" };
  const answer = await begin("/v1/orders", tokens[SANDBOX]!, { localAddress: "127.0.0.9", headers: lies });
  expect(answer.statusCode).toBe(200);
  await textOf(answer);
  const request_id = answer.headers["x-request-id"];
  expect(request_id).toMatch(/^[0-9a-f-]{36}$/);
  const entry = await until("the entry is written", async () => {
    const { rows } = await db.raw("select address, action from audit_entry where request_id = $1", [request_id]);
    return rows[0];
  });
  expect(entry).toEqual({ address: "127.0.0.9", action: "orders_read" });
});

test("an error of the sandbox links to the public documentation and has the id of its request", async () => {
  const reply = (await get("/v1/orders/NONE000000", SANDBOX))!;
  const { error, request_id } = JSON.parse(reply.text);
  expect([reply.status, request_id]).toEqual([404, reply.headers.get("x-request-id")]);
  expect(error.doc_url.startsWith(`${demo.base_url}/docs/`)).toBe(true);
});

test("a slow reader of a large page gets all of it", { timeout: DEADLINE_MS }, async () => {
  const path = "/v1/webhook_events?limit=200";
  const slow = await begin(path, tokens[SANDBOX]!);
  const length = Number(slow.headers["content-length"]);
  expect(length).toBeGreaterThan(900 * 1024);
  // It reads nothing while others are served.
  const whole = await get(path, SANDBOX);
  expect((await get("/v1/orders", PRODUCTION))?.status).toBe(200);
  expect(await textOf(slow)).toBe(whole?.text);
});

test("the metrics name both processes", async () => {
  const { text } = (await ask(`${demo.base_url}/metrics`))!;
  expect(text).toMatch(/^pestle_sandbox_process_up 1$/m);
  expect(text).toMatch(/^pestle_process_resident_memory_bytes \d+$/m);
  expect(text).toMatch(/^pestle_process_resident_memory_bytes\{process="sandbox"\} \d+$/m);
});

test("after kill -9 of the sandbox, production answers as ever, and the sandbox comes back", {
  timeout: DEADLINE_MS,
}, async () => {
  const killed = sandboxPid()!;
  process.kill(killed, "SIGKILL");
  const refused = await until("the sandbox is down", async () => {
    expect((await get("/v1/orders", PRODUCTION))?.status).toBe(200);
    const reply = await get("/v1/orders", SANDBOX);
    return reply?.status === 200 ? undefined : reply;
  });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(JSON.parse(refused.text).error.error_code).toBe(503);
  expect((await ask(`${demo.base_url}/readyz`))?.status).toBe(200);

  await until("the sandbox is back", async () => (await get("/v1/orders", SANDBOX))?.status === 200, {
    deadline_ms: DEADLINE_MS,
  });
  expect(sandboxPid()).not.toBe(killed);
  // On the same port as before.
  expect((await read(demo, await newToken(SANDBOX)))?.status).toBe(200);
  expect((await ask(`${demo.base_url}/metrics`))?.text).toMatch(/^pestle_faults_total\{kind="sandbox_process"\} 1$/m);
});

test("a sandbox that hangs is killed and comes back, and production answers as ever", {
  timeout: DEADLINE_MS,
}, async () => {
  const hung = sandboxPid()!;
  process.kill(hung, "SIGSTOP");
  const inFlight = begin("/v1/orders", tokens[SANDBOX]!);
  await until(
    "it is killed",
    async () => {
      expect((await get("/v1/orders", PRODUCTION))?.status).toBe(200);
      return !isRunning(hung);
    },
    // The main process waits half a minute for a word of the sandbox.
    { deadline_ms: DEADLINE_MS, pause_ms: 250 },
  );
  expect((await inFlight).statusCode).toBe(503);
  await until("the sandbox is back", async () => (await get("/v1/orders", SANDBOX))?.status === 200, {
    deadline_ms: DEADLINE_MS,
  });
  expect(server.errors()).toBe("");
});

test("after kill -9 of the main process, no sandbox process is left", { timeout: DEADLINE_MS }, async () => {
  const left = sandboxPid()!;
  process.kill(server.pid, "SIGKILL");
  await until("the sandbox process has ended", () => !isRunning(left));
  await until("nobody listens on its port", async () => (await ask(`${demo.sandbox_auth_url}/healthz`)) === undefined);
});
