import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules/.cache/pestle-node");

/** The oldest Node that we support, and the newest of each later line with long-term support when this was written. */
export const NODE_VERSIONS = ["20.19.0", "22.23.3", "24.21.0"] as const;
/** `scripts/check.ts` tells a failure from a missing download by this exit code. */
const NOT_AVAILABLE = 3;

/** The path of a Node binary from npm, downloaded if it is not there yet. Throws without a connection. */
export function nodeBinary(version: (typeof NODE_VERSIONS)[number]): string {
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

/** The result of `find`; ends the script if npm cannot be reached. */
export function orNotAvailable<Found>(find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    console.error(`npm has it not for this machine, or there is no connection. ${String(error)}`);
    process.exit(NOT_AVAILABLE);
  }
}
