import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bunBinary, denoBinary, NODE_VERSIONS, nodeBinary, orNotAvailable } from "../npm-binary.ts";

/**
 * Runs a partner's first steps with the built SDK, as a module and as CommonJS, on every supported line of Node, on Bun and on Deno,
 * and starts the partner's command line on each Node. On the newer Nodes it also runs the SDK's tests that need no service; the
 * oldest one runs all tests. The binaries come from npm and stay in a folder of node_modules.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [MODULE, COMMONJS] = ["module.mjs", "commonjs.cjs"].map((name) => join(root, "sdk/test/smoke", name));
const CLI = join(root, "cli/bin/pestle-cli.js");
const TIMER = join(root, "sdk/test/smoke/processor-time.cjs");
const VITEST = join(root, "node_modules/vitest/vitest.mjs");
const DENO_RUN = ["run", "--no-config", "--no-lock", "--node-modules-dir=manual", "--allow-all"];
/** The most processor time that the command line may take to start and print its help. */
const START_LIMIT_MS = 300;
/** On a busy machine everything takes longer, an empty program too: this many times as long may the command line take. */
const START_LIMIT_TIMES = 2.5;
const STARTS = 5;

/** A runtime, and what it needs before the name of a program. */
type Runtime = { name: string; binary: string; before?: readonly string[] };
const nodes = orNotAvailable(() =>
  NODE_VERSIONS.map((version): Runtime => ({ name: `Node ${version}`, binary: nodeBinary(version) })),
);
const others = orNotAvailable((): Runtime[] => [
  { name: "Bun", binary: bunBinary() },
  { name: "Deno", binary: denoBinary(), before: DENO_RUN },
]);

for (const runtime of [...nodes, ...others]) {
  run(runtime, "the SDK as a module", [MODULE!], /^$/);
  run(runtime, "the SDK as CommonJS", [COMMONJS!], /^$/);
}
for (const node of nodes) {
  run(node, "@pestle/cli", [CLI, "fixtures", "show", "RX_RECEIVED", "--json"], /"event_type": "RX_RECEIVED"/);
}
for (const node of nodes.slice(1)) {
  run(node, "the SDK's tests", [VITEST, "run", "--project=quick", "sdk/test"], /\d+ passed/, { CI: "" });
}
const [oldest] = nodes;
for (const args of [["--help"], ["orders", "--help"]]) startsSoon(oldest!, args);

function run(
  { name, binary, before = [] }: Runtime,
  what: string,
  args: readonly string[],
  printed: RegExp,
  more: NodeJS.ProcessEnv = {},
): void {
  const env = { ...process.env, ...more };
  const { status, stdout, stderr } = spawnSync(binary, [...before, ...args], { cwd: root, env, encoding: "utf8" });
  // A warning is a failure too: partners read them in their own logs.
  result(status === 0 && stderr === "" && printed.test(stdout), `${name}, ${what}`, stdout + stderr);
}

function startsSoon({ name, binary }: Runtime, args: readonly string[]): void {
  const empty_ms = quickestStart(binary, ["--eval", "0"]);
  const took_ms = quickestStart(binary, [CLI, ...args]);
  const text = `starts in ${took_ms} ms of processor time, an empty program in ${empty_ms} ms`;
  const passed = took_ms <= Math.max(START_LIMIT_MS, empty_ms * START_LIMIT_TIMES);
  result(passed, `${name}, @pestle/cli ${args.join(" ")}: ${text}`, "");
}

function quickestStart(binary: string, args: readonly string[]): number {
  const times = Array.from({ length: STARTS }, () => {
    const { stderr } = spawnSync(binary, ["--require", TIMER, ...args], { encoding: "utf8" });
    return Number(stderr.trim().split("\n").at(-1));
  });
  return Math.min(...times);
}

function result(passed: boolean, text: string, said: string): void {
  console.log(`${passed ? "✓" : "✗"} ${text}`);
  if (passed) return;
  console.error(said);
  process.exitCode = 1;
}
