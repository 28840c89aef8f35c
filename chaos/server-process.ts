import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Demo } from "../server/src/seed/demo.ts";
import { ask } from "./ask.ts";
import { killPostmaster } from "./postmaster.ts";
import { until } from "./until.ts";

/** What runs: `built` is what an operator runs; `source` needs no build and is never stale, for tests. */
export type From = "built" | "source";

export type Spawned = {
  child: ChildProcess;
  pid: number;
  /** What it wrote to standard error so far. */
  errors(): string;
  /** How it ended, or undefined while it runs. */
  ended(): { code: number | null; signal: NodeJS.Signals | null } | undefined;
};
export type ServerProcess = Spawned & { demo: Demo };

export type ServerOptions = {
  data_dir: string;
  from: From;
  env?: Record<string, string>;
  args?: string[];
  deadline_ms?: number;
};

const READY_DEADLINE_MS = 120_000;
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What tests run: the source, unless whoever starts them has just built. */
export const TESTED: From = process.env["TEST_PROGRAM"] === "built" ? "built" : "source";
/** The arguments of Node that make it `pestle`. */
export const programs: Record<From, string[]> = {
  built: ["server/bin/pestle.js"],
  source: ["--import", "tsx", "--conditions=source", "server/src/cli/main.ts"],
};

/**
 * Starts `pestle start` on free loopback ports, with nothing of our own environment but PATH. It leads a process group,
 * so that what it runs during a first start (initdb) can be killed with it.
 */
export function spawnServer({ data_dir, from, env = {}, args = [] }: ServerOptions): Spawned {
  const child = spawn(process.execPath, [...programs[from], "start", ...args], {
    cwd: ROOT,
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

/** Starts the server and waits until it has written this start's addresses to demo.json and answers /readyz. */
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
  if (server.ended() !== undefined) throw new Error(`the server ended before it was ready: ${server.errors().trim()}`);
  const written = identity(data_dir);
  if (written === undefined || written === before) return undefined;
  const demo = JSON.parse(readFileSync(join(data_dir, "demo.json"), "utf8")) as Demo;
  // Seeding writes the file once without addresses, before anything listens.
  if (demo.base_url === "") return undefined;
  return (await ask(`${demo.base_url}/readyz`))?.status === 200 ? demo : undefined;
}

/** The file is replaced, never rewritten in place, so a new one has another number or time. */
function identity(data_dir: string): string | undefined {
  const found = statSync(join(data_dir, "demo.json"), { throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeMs} ${found.ctimeMs}`;
}

/** Asks it to stop and tells how it ended. */
export async function stopServer(server: Spawned, deadline_ms = 60_000) {
  if (server.ended() === undefined) server.child.kill("SIGTERM");
  return until("the server has stopped", server.ended, { deadline_ms });
}

export async function killServer(server: Spawned): Promise<void> {
  if (server.ended() === undefined) killGroup(server);
  await until("the killed server is gone", server.ended);
}

export function killGroup({ pid }: Spawned): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Leaves nothing behind, however far things got. */
export async function removeDataDir(data_dir: string): Promise<void> {
  await killPostmaster(data_dir);
  rmSync(data_dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
