import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NODE_VERSIONS, nodeBinary, orNotAvailable } from "../node-binary.ts";

/**
 * Runs a partner's first steps with the built SDK, as a module and as CommonJS, on every supported line of Node, and starts the
 * partner's command line there. The binaries come from npm and stay in a folder of node_modules.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const SDK = ["module.mjs", "commonjs.cjs"].map((name) => join(root, "sdk/test/smoke", name));
const CLI = join(root, "cli/bin/pestle-cli.js");

/** Each program with its arguments, and what it must print. */
const programs: [name: string, args: string[], printed: RegExp][] = [
  ["the SDK as a module", [SDK[0]!], /^$/],
  ["the SDK as CommonJS", [SDK[1]!], /^$/],
  ["@pestle/cli", [CLI, "fixtures", "show", "RX_RECEIVED", "--json"], /"event_type": "RX_RECEIVED"/],
];

for (const [version, node] of orNotAvailable(() => NODE_VERSIONS.map((one) => [one, nodeBinary(one)] as const))) {
  for (const [name, args, printed] of programs) {
    const { status, stdout, stderr } = spawnSync(node, args, { encoding: "utf8" });
    // A warning is a failure too: partners read them in their own logs.
    const passed = status === 0 && stderr === "" && printed.test(stdout);
    console.log(`${passed ? "✓" : "✗"} Node ${version}, ${name}`);
    if (passed) continue;
    console.error(stdout + stderr);
    process.exitCode = 1;
  }
}
