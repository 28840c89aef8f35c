import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules/.cache/pestle-runtimes");

/** The oldest Node that we support, and the newest of each later line with long-term support when this was written. */
export const NODE_VERSIONS = ["20.19.0", "22.23.3", "24.21.0"] as const;
const BUN_VERSION = "1.4.4";
const DENO_VERSION = "2.9.6";
/** `scripts/check.ts` tells a failure from a missing download by this exit code. */
const NOT_AVAILABLE = 3;

const { platform, arch } = process;

/** The paths of runtimes from npm, downloaded if they are not there yet. They throw without a connection. */
export const nodeBinary = (version: (typeof NODE_VERSIONS)[number]): string =>
  npmBinary(`node-${platform}-${arch}@${version}`, "bin/node");

export function bunBinary(): string {
  // The baseline runs on processors without AVX2 too.
  const machine = arch === "arm64" ? "aarch64" : "x64-baseline";
  return npmBinary(`@oven/bun-${platform}-${machine}@${BUN_VERSION}`, "bin/bun");
}

export const denoBinary = (): string =>
  npmBinary(`@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}@${DENO_VERSION}`, "deno");

/** A program of a package from npm that has no install script to run. */
function npmBinary(spec: string, path: string): string {
  const folder = join(cache, spec.replaceAll("/", "-"));
  const binary = join(folder, path);
  if (existsSync(binary)) return binary;
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, "new-"));
  try {
    execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", made, spec], { cwd: made });
    const [archive] = readdirSync(made).filter((file) => file.endsWith(".tgz"));
    execFileSync("tar", ["-xzf", archive!, `package/${path}`], { cwd: made });
    chmodSync(join(made, "package", path), 0o755);
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
    console.error(
      `${basename(process.argv[1] ?? "")}: npm has it not for this machine, or there is no connection. ${String(error)}`,
    );
    process.exit(NOT_AVAILABLE);
  }
}
