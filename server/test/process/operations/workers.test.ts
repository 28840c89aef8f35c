import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ask, insist } from "../../../../chaos/ask.ts";
import { issue, tokenOf } from "../../../../chaos/client.ts";
import {
  killServer,
  removeDataDir,
  type ServerProcess,
  startServer,
  stopServer,
  TESTED,
} from "../../../../chaos/server-process.ts";
import { until } from "../../../../chaos/until.ts";
import { type Demo, writeDemo } from "../../../src/seed/demo-file.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";
import { DEMO_TEMPLATE, urlAs } from "../../support/test-cluster.ts";

const [SANDBOX, PRODUCTION] = [0, 2];
const DEADLINE_MS = 120_000;

/** Two workers on shared ports, with one process for the sandbox. */
let database: { url: string; drop(): Promise<void> };
let data_dir: string;
let server: ServerProcess;
let demo: Demo;
beforeAll(async () => {
  database = await createTestDatabase(DEMO_TEMPLATE);
  data_dir = mkdtempSync(join(tmpdir(), "pestle-workers-"));
  writeDemo(data_dir, inject("demo"));
  server = await startServer({
    data_dir,
    from: TESTED,
    args: ["--workers", "2"],
    env: {
      DATABASE_URL: urlAs("service", database.url),
      DATABASE_OWNER_URL: database.url,
      DATABASE_JOBS_URL: urlAs("jobs", database.url),
      MASTER_KEY: TEST_MASTER_KEY,
      SANDBOX_PROCESS: "separate",
    },
  });
  ({ demo } = server);
}, DEADLINE_MS);
afterAll(async () => {
  await killServer(server);
  await removeDataDir(data_dir);
  await database.drop();
});

/** From source, the supervisor has a compiler as a child too. */
const workerPids = () =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === server.pid && args.includes("--workers"))
    .map(([pid]) => Number(pid))
    .toSorted((a, b) => a - b);

/** The answer on a connection of its own, so that the workers take turns. */
const statusAlone = (path: string, token: string) =>
  new Promise<number | undefined>((resolve) => {
    const headers = { accept: "application/json", authorization: `Bearer ${token}` };
    request(`${demo.base_url}${path}`, { headers, agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode));
    })
      .on("error", () => resolve(undefined))
      .end();
  });
const metrics = async () => (await ask(`${demo.base_url}/metrics`))?.text ?? "";
const bothServe = () =>
  until(
    "the metrics have both workers",
    async () => {
      const text = await metrics();
      return ['worker="1"', 'worker="2"'].every((label) => text.includes(label));
    },
    { deadline_ms: DEADLINE_MS },
  );

test("the workers share the ports, the sandbox's process and the metrics", { timeout: DEADLINE_MS }, async () => {
  await bothServe();
  for (const partner of [SANDBOX, PRODUCTION]) {
    const token = tokenOf(await insist(() => issue(demo, demo.partners[partner]!), DEADLINE_MS));
    const statuses = await Promise.all(Array.from({ length: 8 }, () => statusAlone("/v1/shipping_methods", token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
  const served = (await metrics()).matchAll(
    /^pestle_http_request_duration_seconds_count\{worker="(\d)".*route="[^"]*shipping_methods".* (\d+)$/gm,
  );
  expect(new Set([...served].map(([, worker]) => worker))).toEqual(new Set(["1", "2"]));
});

test("a worker that ends is started again, and the other one serves meanwhile", { timeout: DEADLINE_MS }, async () => {
  const before = workerPids();
  expect(before).toHaveLength(2);
  const token = tokenOf(await insist(() => issue(demo, demo.partners[PRODUCTION]!), DEADLINE_MS));
  process.kill(before[1]!, "SIGKILL");
  await until("one worker is left", () => workerPids().length === 1 || !workerPids().includes(before[1]!));
  expect(await statusAlone("/v1/shipping_methods", token)).toBe(200);
  await bothServe();
  const after = workerPids();
  expect([after.length, after.includes(before[0]!), after.includes(before[1]!)]).toEqual([2, true, false]);
});

test("SIGTERM stops all workers", { timeout: DEADLINE_MS }, async () => {
  const pids = workerPids();
  expect(await stopServer(server)).toEqual({ code: 0, signal: null });
  expect(server.errors()).toBe("");
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
