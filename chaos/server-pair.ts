import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Demo } from "../server/src/seed/demo-file.ts";
import { type From, killServer, removeDataDir, type ServerProcess, startServer, stopServer } from "./server-process.ts";

/** The same demo at the addresses of each process, or undefined while that process is down. */
export type ServerPair = {
  sites(): (Demo | undefined)[];
  /** Kills one of them immediately and starts it again. */
  kill(which: number): Promise<void>;
  /** Lets one of them finish its requests, and starts it again; `new`: from this checkout, instead of an earlier one. */
  restart(which: number, version?: "new"): Promise<void>;
  /** Starts one more, from this checkout. */
  add(): Promise<void>;
  /** Error output of processes that exited without a kill or a stop request. None may. */
  fallen(): string[];
  stop(): Promise<void>;
};

const PROCESSES = 2;

/** Two server processes on one PostgreSQL, as behind a load balancer. */
export async function startPair({
  database_url,
  master_key,
  from,
  pool_size = 6,
  env: more = {},
  root,
}: {
  database_url: string;
  master_key: string;
  from: From;
  pool_size?: number;
  env?: Record<string, string>;
  /** Another checkout to start from. */
  root?: string;
}): Promise<ServerPair> {
  const env = { DATABASE_URL: database_url, DATABASE_POOL_SIZE: String(pool_size), MASTER_KEY: master_key, ...more };
  const data_dirs: string[] = [];
  const servers: (ServerProcess | undefined)[] = [];
  const fallen: string[] = [];
  const note = (server: ServerProcess | undefined) => {
    if (server?.ended() !== undefined) fallen.push(`a process exited unexpectedly: ${server.errors().trim()}`);
  };
  const start = async (which: number, version?: "new") => {
    const checkout = root === undefined || version === "new" ? {} : { root };
    servers[which] = await startServer({ data_dir: data_dirs[which]!, from, env, args: ["--demo"], ...checkout });
  };
  const newFolder = () => {
    const data_dir = mkdtempSync(join(tmpdir(), "pestle-pair-"));
    // A later process reads from the file that the demo exists, and writes its own addresses there.
    if (data_dirs[0] !== undefined) copyFileSync(join(data_dirs[0], "demo.json"), join(data_dir, "demo.json"));
    return data_dirs.push(data_dir) - 1;
  };
  const stop = async () => {
    const running = servers.filter((server) => server !== undefined);
    await Promise.all(running.map((server) => stopServer(server).finally(() => killServer(server))));
    for (const data_dir of data_dirs) await removeDataDir(data_dir);
  };
  try {
    while (data_dirs.length < PROCESSES) await start(newFolder());
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    sites: () => servers.map((server) => server?.demo),
    async kill(which) {
      const killed = servers[which]!;
      note(killed);
      // Another process may take its ports at once, so the clients must stop calling them.
      servers[which] = undefined;
      await killServer(killed);
      await start(which);
    },
    async restart(which, version) {
      const old = servers[which]!;
      note(old);
      // It serves until it has ended, or until the load balancer sees that it is not ready.
      const { code } = await stopServer(old);
      if (code !== 0) fallen.push(`a process did not stop cleanly: ${old.errors().trim()}`);
      servers[which] = undefined;
      await start(which, version);
    },
    add: () => start(newFolder(), "new"),
    fallen() {
      servers.forEach(note);
      return [...new Set(fallen)];
    },
    stop,
  };
}
