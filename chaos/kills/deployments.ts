import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Demo } from "../../server/src/seed/demo-file.ts";
import { freePort } from "../../server/test/support/tools/free-port.ts";
import { ask } from "../ask.ts";
import { isRunning } from "../postmaster.ts";
import {
  type From,
  killServer,
  removeDataDir,
  type ServerProcess,
  startServer,
  stopServer,
} from "../server-process.ts";
import { until } from "../until.ts";

/** A way to run the service as several processes, and how to kill each kind of them. */
export type Deployment = {
  sites(): (Demo | undefined)[];
  /** Kills a process, and returns when its successor works. */
  kill(kind: string): Promise<void>;
  /** Error output of processes that ended without a kill. */
  fallen(): string[];
  stop(): Promise<void>;
};
type Given = {
  database_url: string;
  master_key: string;
  from: From;
  random: () => number;
  /** The roles that have processes of their own; the others share one. All if absent. */
  apart?: readonly string[];
};

const BACK_WITHIN_MS = 120_000;
/** Workers and the sandbox's process end with the process that started them. */
const GONE_WITHIN_MS = 30_000;
const WORKERS = 2;

/** The kinds of `pestle start --role`, each in a process of its own. */
export const ROLES = ["api", "token", "courier", "jobs", "web"] as const;

/** One process for each role, or for each that may be killed and one for the rest. */
export async function startRoles({ database_url, master_key, from, apart = ROLES }: Given): Promise<Deployment> {
  const rest = ROLES.filter((role) => !apart.includes(role));
  const groups = [...ROLES.filter((role) => apart.includes(role)).map((role) => [role]), rest].filter(
    (roles) => roles.length > 0,
  );
  /** The name of the process with a role. */
  const nameOf = (role: string) => groups.find((roles) => (roles as readonly string[]).includes(role))!.join(",");
  const servers = new Map<string, ServerProcess>();
  const data_dirs = new Map<string, string>();
  const fallen: string[] = [];
  const env = {
    DATABASE_URL: database_url,
    MASTER_KEY: master_key,
    DATABASE_POOL_SIZE: "8",
    SANDBOX_PROCESS: "shared",
  };
  const start = async (role: string) => {
    servers.set(
      role,
      await startServer({ data_dir: data_dirs.get(role)!, from, env, args: ["--demo", "--role", role] }),
    );
  };
  const note = (role: string) => {
    const server = servers.get(role);
    if (server?.ended() !== undefined) fallen.push(`${role} exited unexpectedly: ${server.errors().trim()}`);
  };
  const stop = async () => {
    await Promise.all([...servers.values()].map((server) => stopServer(server).finally(() => killServer(server))));
    for (const data_dir of data_dirs.values()) await removeDataDir(data_dir);
  };
  try {
    for (const role of groups.map((roles) => roles.join(","))) {
      const data_dir = mkdtempSync(join(tmpdir(), "pestle-role-"));
      const [first] = data_dirs.values();
      if (first !== undefined) copyFileSync(join(first, "demo.json"), join(data_dir, "demo.json"));
      data_dirs.set(role, data_dir);
      await start(role);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    sites() {
      const [api, token] = [servers.get(nameOf("api")), servers.get(nameOf("token"))];
      if (api === undefined || token === undefined) return [undefined];
      const { auth_url, sandbox_auth_url } = token.demo;
      return [{ ...api.demo, auth_url, sandbox_auth_url }];
    },
    async kill(kind) {
      const role = nameOf(kind);
      const killed = servers.get(role)!;
      note(role);
      // Another process may take its ports at once, so the clients must stop calling them.
      servers.delete(role);
      await killServer(killed);
      await start(role);
    },
    fallen() {
      for (const role of servers.keys()) note(role);
      return [...new Set(fallen)];
    },
    stop,
  };
}

/** The kinds of processes below `pestle start --workers`. */
export const WORKER_KINDS = ["worker", "supervisor", "sandbox"] as const;

/** A supervisor with two workers and the process of the sandbox. */
export async function startWorkers({ database_url, master_key, from, random }: Given): Promise<Deployment> {
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-workers-"));
  const fallen: string[] = [];
  const env = {
    ...{ DATABASE_URL: database_url, MASTER_KEY: master_key, DATABASE_POOL_SIZE: "6" },
    SANDBOX_PROCESS: "separate",
    // Fixed, because a free port is another one after all workers that had it are gone.
    PORT: String(await freePort()),
    AUTH_PORT: String(await freePort()),
    SANDBOX_AUTH_PORT: String(await freePort()),
  };
  const start = () => startServer({ data_dir, from, env, args: ["--demo", "--workers", String(WORKERS)] });
  let server: ServerProcess | undefined = await start();
  const complete = async () =>
    (await ask(`${server!.demo.base_url}/readyz`))?.status === 200 &&
    processesOf(server!.pid).workers.length === WORKERS &&
    processesOf(server!.pid).sandboxes.length === 1;
  const back = () => until("all processes run again", complete, { deadline_ms: BACK_WITHIN_MS, pause_ms: 50 });
  const killChild = async (pid: number) => {
    process.kill(pid, "SIGKILL");
    await until("the killed process is gone", () => !isRunning(pid));
    await back();
  };
  const kills: Record<string, () => Promise<void>> = {
    async worker() {
      const { workers } = processesOf(server!.pid);
      await killChild(workers[Math.floor(random() * workers.length)]!);
    },
    sandbox: () => killChild(processesOf(server!.pid).sandboxes[0]!),
    async supervisor() {
      const killed = server!;
      const { workers, sandboxes } = processesOf(killed.pid);
      server = undefined;
      process.kill(killed.pid, "SIGKILL");
      // Nobody tells them to end: they must notice that they are alone.
      const left = () => [...workers, ...sandboxes].filter(isRunning);
      await until("nothing is left", () => left().length === 0, { deadline_ms: GONE_WITHIN_MS }).catch(() =>
        fallen.push(`${left().length} processes outlive their supervisor`),
      );
      await killServer(killed);
      server = await start();
      await back();
    },
  };
  await back();
  return {
    sites: () => [server?.demo],
    kill: (kind) => kills[kind]!(),
    fallen() {
      if (server?.ended() !== undefined) fallen.push(`the supervisor exited: ${server.errors().trim()}`);
      return [...new Set(fallen)];
    },
    async stop() {
      if (server !== undefined) await stopServer(server).finally(() => killServer(server!));
      await removeDataDir(data_dir);
    },
  };
}

/** The processes of a supervisor's group, by what they are. A compiler of the sources may be among them. */
function processesOf(group: number): { workers: number[]; sandboxes: number[] } {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,pgid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, of]) => Number(of) === group && Number(pid) !== group);
  const those = (is: (args: string[]) => boolean) =>
    rows.filter(([, , ...args]) => is(args)).map(([pid]) => Number(pid));
  return {
    workers: those((args) => args.includes("--workers")),
    sandboxes: those((args) => args.some((arg) => arg.includes("sandbox-process"))),
  };
}
