import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Demo } from "../server/src/seed/demo-file.ts";
import { ask } from "./ask.ts";
import { killPostmaster } from "./postmaster.ts";
import { until } from "./until.ts";

/** What to run: `built` is what operators run. `source` needs no build and is never stale, for tests. */
export type From = "built" | "source";

export type Spawned = {
  child: ChildProcess;
  pid: number;
  /** Standard error so far. */
  errors(): string;
  /** The exit status, or undefined while it runs. */
  ended(): { code: number | null; signal: NodeJS.Signals | null } | undefined;
};
export type ServerProcess = Spawned & { demo: Demo };

export type ServerOptions = {
  data_dir: string;
  from: From;
  /** Another checkout; this one if absent. */
  root?: string;
  node_args?: string[];
  env?: Record<string, string>;
  args?: string[];
  deadline_ms?: number;
};

const READY_DEADLINE_MS = 120_000;
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Tests run the source, unless the caller has just built. */
export const TESTED: From = process.env["TEST_PROGRAM"] === "built" ? "built" : "source";
/** Node's arguments for `pestle`. */
export const programs: Record<From, string[]> = {
  built: ["server/bin/pestle.js"],
  source: ["--import", "tsx", "--conditions=source", "server/src/cli/main.ts"],
};

/**
 * Starts `pestle start` on free loopback ports, with only PATH from our environment. It leads a process group, so
 * that a kill also reaches its children during a first start (initdb).
 */
export function spawnServer({
  data_dir,
  from,
  root = ROOT,
  node_args = [],
  env = {},
  args = [],
}: ServerOptions): Spawned {
  const child = spawn(process.execPath, [...node_args, ...programs[from], "start", ...args], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: process.env["PATH"],
      DATA_DIR: data_dir,
      PORT: "0",
      AUTH_PORT: "0",
      SANDBOX_AUTH_PORT: "0",
      LOG_LEVEL: "warn",
      ...env,
    },
  });
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  let end: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  child.on("close", (code, signal) => {
    end = { code, signal };
  });
  child.on("error", (error) => {
    errors += error.message;
    end = { code: null, signal: null };
  });
  return { child, pid: child.pid ?? 0, errors: () => errors, ended: () => end };
}

/** Starts the server and waits until it has written its addresses to demo.json and answers /readyz. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const before = identity(options.data_dir);
  const server = spawnServer(options);
  try {
    const demo = await until("the server is ready", () => readyDemo(server, options.data_dir, before), {
      deadline_ms: options.deadline_ms ?? READY_DEADLINE_MS,
    });
    return { ...server, demo };
  } catch (error) {
    await killServer(server);
    throw error;
  }
}

async function readyDemo(server: Spawned, data_dir: string, before: string | undefined): Promise<Demo | undefined> {
  if (server.ended() !== undefined) throw new Error(`the server exited before it was ready: ${server.errors().trim()}`);
  const written = identity(data_dir);
  if (written === undefined || written === before) return undefined;
  const demo = JSON.parse(readFileSync(join(data_dir, "demo.json"), "utf8")) as Demo;
  // Seeding first writes the file without addresses, before the server listens.
  if (demo.base_url === "") return undefined;
  return (await ask(`${demo.base_url}/readyz`))?.status === 200 ? demo : undefined;
}

/** The server replaces the file and never rewrites it in place, so a new file has another inode or time. */
function identity(data_dir: string): string | undefined {
  const found = statSync(join(data_dir, "demo.json"), { throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeMs} ${found.ctimeMs}`;
}

/** Stops it and returns its exit status. */
export async function stopServer(server: Spawned, deadline_ms = 60_000) {
  if (server.ended() === undefined) server.child.kill("SIGTERM");
  return until("the server has stopped", server.ended, { deadline_ms });
}

export async function killServer(server: Spawned): Promise<void> {
  if (server.ended() === undefined) killGroup(server);
  await until("the killed server has exited", server.ended);
}

export function killGroup({ pid }: Spawned): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Removes everything, also after a partial start. */
export async function removeDataDir(data_dir: string): Promise<void> {
  await killPostmaster(data_dir);
  rmSync(data_dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
