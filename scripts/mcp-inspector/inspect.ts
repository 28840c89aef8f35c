import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeBinary, orNotAvailable } from "../npm-binary.ts";
import manifest from "./package.json" with { type: "json" };

/**
 * Lets the official MCP inspector list the tools of `pestle mcp` with its strict rules for schemas, with and without tools that
 * write. The inspector needs Node 22 and brings packages that we do not want in our lock file, so it has a lock file of its own,
 * and stays in a folder of node_modules.
 */
const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const version = manifest.dependencies["@modelcontextprotocol/inspector"];
const cache = join(root, "node_modules/.cache/pestle-mcp-inspector");
const INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js";
const PESTLE = join(root, "server/bin/pestle.js");
/** Each mode, and how many tools it has at least. */
const MODES: [args: string[], least: number][] = [
  [[], 6],
  [["--allow-writes"], 9],
];

const node = orNotAvailable(() => nodeBinary("24.21.0"));
const inspector = orNotAvailable(installed);
const home = mkdtempSync(join(tmpdir(), "pestle-inspector-"));
try {
  // To list tools, an account must be known, and no service must run.
  const partner = { name: "A", workflow: "api_driven", environment: "sandbox", account_id: "a", client_id: "a-b" };
  const own = "http://127.0.0.1:9";
  const demo = { base_url: own, auth_url: own, sandbox_auth_url: own, partners: [{ ...partner, client_secret: "c" }] };
  writeFileSync(join(home, "demo.json"), JSON.stringify(demo));
  for (const [args, least] of MODES) inspect(args, least);
} finally {
  rmSync(home, { recursive: true, force: true });
}

function inspect(args: string[], least: number): void {
  const target = [process.execPath, PESTLE, "mcp", ...args];
  const options = ["--method", "tools/list", "--strict", "-e", `DATA_DIR=${home}`];
  const { status, stdout, stderr } = spawnSync(node, [inspector, ...options, "--", ...target], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: home },
  });
  const listed = status === 0 ? (JSON.parse(stdout) as { tools: unknown[] }).tools.length : 0;
  const passed = status === 0 && listed >= least && stderr.trim() === "";
  console.log(`${passed ? "✓" : "✗"} pestle mcp ${args.join(" ")}: ${listed} tools, exit code ${status}`);
  if (passed) return;
  console.error(stdout + stderr);
  process.exitCode = 1;
}

/** The inspector's program, installed from its lock file if it is not there yet. Its install script is not needed. */
function installed(): string {
  const folder = join(cache, version);
  if (!existsSync(join(folder, INSPECTOR))) {
    mkdirSync(cache, { recursive: true });
    const made = mkdtempSync(join(cache, "new-"));
    for (const name of ["package.json", "package-lock.json"]) cpSync(join(here, name), join(made, name));
    const args = ["ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--silent"];
    execFileSync("npm", args, { cwd: made, stdio: ["ignore", "ignore", "inherit"] });
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  }
  return join(folder, INSPECTOR);
}
