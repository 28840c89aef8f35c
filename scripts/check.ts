import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBrowser } from "./browser.ts";
import { findPostgres15, startSystemPostgres } from "./system-postgres.ts";

/**
 * Everything that must hold, as CI runs it: build, types, lint, unused code, generated pages, then the tests on the
 * embedded PostgreSQL and, what depends on the database, again on the oldest supported one. What a leg needs is found
 * or installed; in CI a leg that cannot run is a failure.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const artifacts = join(root, ".artifacts");
const CI = process.env["CI"] === "true";
/** Tests of processes, of the embedded database itself and of text: another database shows nothing new. */
const NOT_ON_15 = [
  "embedded",
  "kills",
  "shutdown",
  "cli",
  "architecture",
  "config",
  "openapi",
  "domain-properties",
  "mutations",
  "script",
  "fhir",
  "address",
  "identifiers",
  "catalogue-file",
  "order-input",
  "prescription-rules",
  "match-patient",
  "fuzz-front-door",
  "oauth-clients",
  "carriers",
  "documents",
  "asap",
  "safety-data",
  "safety-rules",
  "safety-tables",
  "safety-engine",
  "safety-properties",
  // What they ask of the database, others ask too.
  "order-action-",
  "order-overrides",
  "order-rechecks",
  "order-payments",
  "lifecycle-campaign",
  "sandbox-year",
  "simulate-",
  "arazzo",
  "contract-tester",
  "generated-client",
  "openapi",
  "specmatic",
  "conventions",
  "doctor",
  "operations",
  "dashboard-domain",
  "portal-access",
  "portal-credentials",
  "portal-home",
  "portal-sandbox",
  "portal-team",
  "guide",
  "bad-input",
  "mail",
  "webhook-guard",
  "webhook-retry",
  "webhook-signatures",
  "webhook-campaign",
];

let passed = 0;
let failed = 0;

rmSync(artifacts, { recursive: true, force: true });
mkdirSync(artifacts, { recursive: true });
step("build", "node", ["scripts/build.mjs"]);
step("types", "tsc", ["-p", "tsconfig.test.json"]);
step("types of the web", "tsc", ["--noEmit", "-p", "web"]);
step("format and lint", "biome", ["check", "--error-on-warnings", "."]);
step("unused code", "knip", []);
step("generated pages", "tsx", ["--conditions=source", "scripts/docs.ts", "--check"]);

const browser = findBrowser();
if (browser === undefined) missing("browser tests", "a Chromium: install Debian's package chromium, or set CHROMIUM");
tests("tests on the embedded PostgreSQL", browser === undefined ? ["--exclude=e2e/**"] : [], {
  CHROMIUM: browser ?? "",
});

const oldest = findPostgres15();
if (oldest === undefined) missing("tests on PostgreSQL 15", "Debian's package postgresql-15");
else {
  const postgres = await startSystemPostgres(oldest);
  const leaveOut = NOT_ON_15.map((name) => `--exclude=server/test/${name}*.test.ts`);
  tests("tests on PostgreSQL 15", ["server/test", "sdk/test", ...leaveOut], {
    TEST_DATABASE_URL: postgres.url.replace("{database}", "postgres"),
  });
  await postgres.stop();
}

console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** A step counts as one check. Without a build nothing after it means anything. */
function step(name: string, command: string, args: string[]): void {
  if (run(name, command, args) === 0) passed += 1;
  else {
    failed += 1;
    if (name === "build") {
      console.log(`\n${passed} passed, ${failed} failed`);
      process.exit(1);
    }
  }
}

function tests(name: string, args: string[], env: Record<string, string>): void {
  const report = join(artifacts, `${name.replaceAll(" ", "-")}.json`);
  const status = run(
    name,
    "vitest",
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...args],
    env,
  );
  if (existsSync(report)) {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as Record<string, number>;
    passed += numPassedTests ?? 0;
    failed += numFailedTests ?? 0;
    // A file that does not load, or a hook that fails, fails no test of its own.
    if (status !== 0 && numFailedTests === 0) failed += 1;
  } else failed += 1;
}

function missing(leg: string, need: string): void {
  console.log(`\n── ${leg}: not run, for want of ${need}`);
  if (CI) failed += 1;
}

function run(name: string, command: string, args: string[], env: Record<string, string> = {}): number {
  console.log(`\n── ${name}`);
  const started = Date.now();
  const program = command === "node" ? process.execPath : join(root, "node_modules/.bin", command);
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  console.log(`── ${name}: ${status === 0 ? "ok" : "FAILED"} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return status ?? 1;
}
