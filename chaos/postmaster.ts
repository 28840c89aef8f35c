import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { until } from "./until.ts";

/** The process id of the embedded PostgreSQL in a data folder, while it runs. */
export function postmasterPid(data_dir: string): number | undefined {
  const pid = Number(pidFile(data_dir)?.[0]);
  return isRunning(pid) ? pid : undefined;
}

/** A direct connection to it, without the service. */
export async function connectToPostgres(data_dir: string): Promise<pg.Client> {
  const [, , , port, host] = pidFile(data_dir) ?? [];
  const { owner: password } = JSON.parse(readFileSync(join(data_dir, "postgres.passwords"), "utf8"));
  const client = new pg.Client({ host: host!, port: Number(port), user: "pestle", password, database: "pestle" });
  // A campaign may kill it while this connection is open.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Line by line: process id, folder, start time, port, socket folder. */
function pidFile(data_dir: string): string[] | undefined {
  const elsewhere = join(data_dir, "postgres.location");
  const base = existsSync(elsewhere) ? readFileSync(elsewhere, "utf8").trim() : data_dir;
  try {
    return readFileSync(join(base, "postgres/postmaster.pid"), "utf8").split("\n");
  } catch {
    return undefined;
  }
}

/** A zombie process keeps its id and has no command line. */
export function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

export async function killPostmaster(data_dir: string): Promise<void> {
  const pid = postmasterPid(data_dir);
  if (pid === undefined) return;
  process.kill(pid, "SIGQUIT");
  await until("PostgreSQL has exited", () => !isRunning(pid));
}
