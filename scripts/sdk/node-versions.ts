import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Runs a partner's first steps with the built SDK, as a module and as CommonJS, on every supported line of Node. The
 * binaries come from npm and stay in a folder of node_modules.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const cache = join(root, "node_modules/.cache/pestle-node");
/** The oldest that we support, and the newest of each later line with long-term support when this was written. */
const VERSIONS = ["20.19.0", "22.23.3", "24.21.0"];
/** The check tells a failure from a missing binary by this exit code. */
const NOT_AVAILABLE = 3;
const PROGRAMS = ["module.mjs", "commonjs.cjs"].map((name) => join(root, "sdk/test/smoke", name));

for (const [version, node] of binaries()) {
  for (const program of PROGRAMS) {
    const { status, stdout, stderr } = spawnSync(node, [program], { encoding: "utf8" });
    // A warning is a failure too: partners read them in their own logs.
    const passed = status === 0 && stdout + stderr === "";
    console.log(
      `${passed ? "✓" : "✗"} Node ${version}, ${program.split(".").at(-1) === "cjs" ? "CommonJS" : "module"}`,
    );
    if (passed) continue;
    console.error(stdout + stderr);
    process.exitCode = 1;
  }
}

function binaries(): [version: string, node: string][] {
  try {
    return VERSIONS.map((version) => [version, binaryOf(version)]);
  } catch (error) {
    console.error(`npm has no binary for this machine, or there is no connection. ${String(error)}`);
    process.exit(NOT_AVAILABLE);
  }
}

/** The path of a Node binary, downloaded if it is not there yet. */
function binaryOf(version: string): string {
  const folder = join(cache, version);
  const binary = join(folder, "bin/node");
  if (existsSync(binary)) return binary;
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, "new-"));
  try {
    const name = `node-${process.platform}-${process.arch}@${version}`;
    execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", made, name], { cwd: made });
    const [archive] = readdirSync(made).filter((file) => file.endsWith(".tgz"));
    execFileSync("tar", ["-xzf", archive!, "package/bin/node"], { cwd: made });
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(made, "package"), folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return binary;
}
