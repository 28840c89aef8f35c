import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findBrowser } from "./browser.ts";
import { findCitus } from "./citus.ts";
import { filesToRepeat, legResult, type TestRun } from "./leg-result.ts";
import { memoryFolder } from "./memory-folder.ts";
import { findPgbouncer } from "./pgbouncer.ts";
import { findPromtool } from "./promtool.ts";
import { findPostgres15, startSystemPostgres } from "./system-postgres.ts";

/**
 * Runs every check, as CI does: build, types, lint, unused code, generated pages, then the tests on the embedded
 * PostgreSQL. Tests that depend on the database run again on the oldest supported version. A leg finds or installs
 * what it needs. In CI, a leg that cannot run is a failure.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const artifacts = join(root, ".artifacts");
const CI = process.env["CI"] === "true";
/** The build is current here: tests import it (vitest.config.ts), and a program starts from it in a third of the time. */
const BUILT = { TEST_PROGRAM: "built" };
/** These tests create databases of their own, and kill processes but never the machine, so memory is durable enough. */
const IN_MEMORY = { ...BUILT, TMPDIR: memoryFolder() };

/** The exit code of a script that cannot download its programs. */
const NOT_AVAILABLE = 3;
/** Requests, keys, jobs, webhooks and intake. The other files would tell nothing more about the pooler. */
const POOLED_TESTS = [
  "api/accounts/idempotency.test.ts",
  "api/operations/process-roles.test.ts",
  "api/orders/orders.test.ts",
  "api/intake/automatic.test.ts",
  "api/webhooks/webhook-api-feed.test.ts",
];

/** Orders, actions, intake and links of people: files that pass where accounts are on several servers (ADR 0097). */
const SPREAD_TESTS = [
  "api/intake/automatic.test.ts",
  "api/orders/orders.test.ts",
  "api/orders/order-actions.test.ts",
  "api/safety/one-person.test.ts",
];

/** Of the output of a failed step, in the summary. */
const LAST_LINES = 15;

let passed = 0;
/** Failures, printed again at the end because the output before them is long. */
const failures: string[] = [];
/** Tests that failed once and passed when their file ran again by itself. */
const unsteady: string[] = [];
/** Legs that did not run, and need not. */
const skipped: string[] = [];
const took: { name: string; seconds: number }[] = [];

rmSync(artifacts, { recursive: true, force: true });
mkdirSync(artifacts, { recursive: true });
await step("build", "node", ["scripts/build.mjs"], "as it comes");

// A leg runs file by file and waits half of its time: five at a time fill two cores. The longest start first. The tests in
// the browser are few files that wait even more, so two of them run at once.
const queue = [
  () => tests("tests of whole processes, first half", ["--project=processes", "--shard=1/2"], IN_MEMORY, "as it comes"),
  () => tests("tests of whole processes, second half", ["--project=processes", "--shard=2/2"], IN_MEMORY),
  () => tests("tests of the API, first half", ["--project=service", "--shard=1/2"], BUILT),
  () => tests("tests of the API, second half", ["--project=service", "--shard=2/2"], BUILT),
  testsInBrowser,
  () => tests("tests on the embedded PostgreSQL", ["--project=database"], BUILT),
  testsOnOldest,
  testsThroughPooler,
  testsOnSeveralServers,
  () => tests("tests without a database", ["--project=quick"], BUILT),
  quickStart,
  staticChecks,
  rulesOfPrometheus,
];
const lane = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
};
// The last one mostly waits for downloads.
await Promise.all([lane(), lane(), lane(), lane(), lane(), withDownloads()]);
close();

/** Like a file of tests: if it fails, it runs a second time, and is listed as unsteady if it passes then. */
async function quickStart(): Promise<void> {
  const args = ["--conditions=source", "scripts/quick-start.ts"];
  const first = await run("quick start", "tsx", args);
  const second = first.status === 0 ? first : await run("quick start, again", "tsx", args);
  if (second.status !== 0) return fail(`quick start\n${lastLines(second.said)}`);
  passed += 1;
  if (first.status !== 0) unsteady.push(`quick start\n${lastLines(first.said)}`);
}

/** What needs programs from npm: other runtimes, and the MCP inspector. */
async function withDownloads(): Promise<void> {
  await downloading("SDK and command line on other runtimes", "scripts/sdk/runtimes.ts");
  await downloading("the MCP inspector", "scripts/mcp-inspector/inspect.ts");
}

async function downloading(name: string, script: string): Promise<void> {
  const { status, said } = await run(name, "tsx", [script]);
  if (status === 0) passed += 1;
  else if (status === NOT_AVAILABLE) missing(name, "its programs from npm");
  else fail(`${name}\n${lastLines(said)}`);
}

async function staticChecks(): Promise<void> {
  await step("types", "tsc", ["-p", "tsconfig.test.json"]);
  await step("types of the web", "tsc", ["--noEmit", "-p", "web"]);
  await step("format and lint", "biome", ["check", "--error-on-warnings", "."]);
  await step("unused code", "knip", []);
  await step("generated pages", "tsx", ["--conditions=source", "scripts/docs.ts", "--check"]);
}

/** The rules and alerts of `deploy/prometheus`, by Prometheus itself. */
async function rulesOfPrometheus(): Promise<void> {
  const promtool = findPromtool();
  if (promtool === undefined) return missing("rules of Prometheus", "promtool, of Debian's package prometheus");
  const folder = join(root, "deploy/prometheus");
  await step("rules of Prometheus", promtool, ["check", "rules", join(folder, "rules.yml")]);
  await step("settings of Prometheus", promtool, [
    ...["check", "config", "--syntax-only"],
    join(folder, "prometheus.yml"),
  ]);
  const tests = readdirSync(folder).filter((name) => name.endsWith("-test.yml"));
  await step("tests of the rules", promtool, ["test", "rules", ...tests.map((name) => join(folder, name))]);
}

function close(): never {
  console.log(`\n${took.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`).join("\n")}`);
  if (unsteady.length > 0) console.log(`\nUnsteady, passed on the second try:\n${listed(unsteady)}`);
  if (skipped.length > 0) console.log(`\nNOT RUN:\n${listed(skipped)}`);
  if (failures.length > 0) console.log(`\nFailed:\n${listed(failures)}`);
  console.log(`\n${passed} passed, ${failures.length} failed`);
  process.exit(failures.length === 0 ? 0 : 1);
}

function listed(lines: readonly string[]): string {
  return lines.map((line) => `- ${line.slice(0, 1500)}`).join("\n");
}

function fail(what: string): void {
  failures.push(what);
}

async function testsOnOldest(): Promise<void> {
  const oldest = findPostgres15();
  if (oldest === undefined) return missing("tests on PostgreSQL 15", "Debian's package postgresql-15");
  // The database is temporary, so it need not wait for the disk.
  const careless = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
  const postgres = await startSystemPostgres(oldest, careless, memoryFolder());
  const env = { ...BUILT, TEST_DATABASE_URL: postgres.url.replace("{database}", "postgres") };
  await tests("tests on PostgreSQL 15", ["--project=database"], env);
  await postgres.stop();
}

/** A few files of the API through PgBouncer in transaction mode, of a version that cannot name statements. */
async function testsThroughPooler(): Promise<void> {
  const program = findPgbouncer();
  if (program === undefined) return missing("tests through PgBouncer", "Debian's package pgbouncer");
  await tests("tests through PgBouncer", ["--project=service", ...POOLED_TESTS], { ...BUILT, TEST_PGBOUNCER: program });
}

/** CI does not have Citus, so this leg may be missing there, and the end of the output says so. */
async function testsOnSeveralServers(): Promise<void> {
  if (findCitus() === undefined) {
    skipped.push("tests on several servers: the extension Citus for PostgreSQL 15 is not installed");
    return;
  }
  await tests("tests on several servers", ["--project=service", ...SPREAD_TESTS], { ...BUILT, TEST_CITUS: "2" });
}

async function testsInBrowser(): Promise<void> {
  const browser = findBrowser();
  if (browser === undefined)
    return missing("browser tests", "a Chromium: install Debian's chromium-headless-shell, or set CHROMIUM");
  await tests("tests in the browser", ["--project=browser", "--maxWorkers=2"], { ...BUILT, CHROMIUM: browser });
}

/** A step counts as one check. Without a build, later steps prove nothing. */
async function step(name: string, command: string, args: string[], output?: Output): Promise<void> {
  const { status, said } = await run(name, command, args, {}, output);
  if (status === 0) passed += 1;
  else {
    fail(`${name}\n${lastLines(said)}`);
    if (name === "build") close();
  }
}

/**
 * Runs the files of a leg. A few files that fail run a second time by themselves: a file that then passes counts as
 * passed and is listed as unsteady.
 */
async function tests(name: string, args: string[], env: Record<string, string> = {}, output?: Output): Promise<void> {
  const first = await testRun(name, args, env, output);
  const repeated = filesToRepeat(first);
  // A shard is a share of the named files, and these are all of them.
  const selection = args.filter((arg) => !arg.startsWith("--shard="));
  const second = repeated.length > 0 ? await testRun(`${name}, again`, [...selection, ...repeated], env) : undefined;
  const result = legResult(first, second);
  passed += result.passed;
  failures.push(...result.failed.map((what) => `${name}, ${what}`));
  unsteady.push(...result.unsteady.map((what) => `${name}, ${what}`));
}

async function testRun(name: string, args: string[], env: Record<string, string>, output?: Output): Promise<TestRun> {
  const report = join(artifacts, `${name.replaceAll(/[ ,]+/g, "-")}.json`);
  const { status } = await run(
    name,
    "vitest",
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...args],
    env,
    output,
  );
  if (!existsSync(report)) return { files: [], problem: "no report" };
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as TestReport;
  const files = testResults.map(({ name: path, status: outcome, message, assertionResults }) => {
    const problems = assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => `${test.fullName}\n${test.failureMessages.join("\n")}`);
    // If a file does not load or a hook fails, no single test fails.
    if (outcome === "failed" && problems.length === 0) problems.push(`\n${message}`);
    const passed = assertionResults.filter((test) => test.status === "passed").length;
    return { file: relative(root, path), passed, problems };
  });
  const unexplained = status !== 0 && files.every(({ problems }) => problems.length === 0);
  return { files, ...(unexplained && { problem: `exit code ${status}` }) };
}

/** The parts of Vitest's JSON report that this script reads. */
type TestReport = {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

function missing(leg: string, need: string): void {
  console.log(`\n── ${leg}: not run. Missing: ${need}`);
  if (CI) fail(`${leg}: not run`);
}

/** Keeps the output of two concurrent legs apart. */
type Output = "as it comes" | "told at its end";

async function run(
  name: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
  output: Output = "told at its end",
): Promise<{ status: number; said: string }> {
  const live = output === "as it comes";
  if (live) console.log(`\n── ${name}`);
  const started = Date.now();
  const program = command === "node" ? process.execPath : resolve(root, "node_modules/.bin", command);
  const child = spawn(program, args, {
    cwd: root,
    stdio: live ? "inherit" : ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const status = await new Promise<number>((resolve) => {
    child.on("error", () => resolve(1));
    child.on("close", (code) => resolve(code ?? 1));
  });
  const said = Buffer.concat(chunks).toString("utf8");
  if (!live) console.log(`\n── ${name}\n${said}`);
  const seconds = (Date.now() - started) / 1000;
  took.push({ name, seconds });
  console.log(`── ${name}: ${status === 0 ? "ok" : "FAILED"} in ${seconds.toFixed(1)} s`);
  return { status, said };
}

function lastLines(said: string): string {
  return said.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}
