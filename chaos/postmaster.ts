import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

/** The process id of the embedded PostgreSQL of a data folder, while one runs. */
export function postmasterPid(data_dir: string): number | undefined {
  const elsewhere = join(data_dir, "postgres.location");
  const base = existsSync(elsewhere) ? readFileSync(elsewhere, "utf8").trim() : data_dir;
  try {
    const pid = Number.parseInt(readFileSync(join(base, "postgres/postmaster.pid"), "utf8"), 10);
    return isRunning(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** A process that ended but that nobody has waited for yet keeps its id, and has no command line. */
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
  await until("PostgreSQL is gone", () => !isRunning(pid));
}
