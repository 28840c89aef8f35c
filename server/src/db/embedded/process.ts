import { execFile, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { Account } from "./account.ts";

/** Whether a process with this id exists, ours or another user's. */
export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Whether the process is the postgres that serves `cluster`. Process ids repeat after a restart of the machine or
 * container, so the id alone proves nothing. A zombie has no command line and does not count. If we cannot inspect
 * processes, we trust the id: taking the lock from a live server would do more harm.
 */
export async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== "linux") {
    const ps = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(() => undefined);
    return ps === undefined ? isAlive(pid) : ps.stdout.includes(`/postgres -D ${cluster} `);
  }
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  if (line === undefined) return isAlive(pid) && !existsSync("/proc/self");
  const [program = "", ...args] = line.split("\0");
  if (basename(program) !== "postgres") return false;
  return args.includes(cluster) || (await readlink(`/proc/${pid}/cwd`).catch(() => "")) === cluster;
}

/**
 * Spawn options for initdb and postgres: run as the account, in a folder every account can enter, without our
 * environment, which can contain keys that other processes of the account could read. The C locale keeps messages in
 * English, because we match some of them.
 */
export function spawnSettings(account: Account | undefined): SpawnOptions {
  return { ...account, cwd: "/", env: { LC_ALL: "C", TZ: "UTC" } };
}

/** Runs a program to completion. The error of a failed run contains its most relevant output line. */
export function run(program: string, args: string[], account: Account | undefined, input = ""): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...spawnSettings(account), stdio: "pipe" });
    let output = "";
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${basename(program)} failed (${signal ?? code}): ${tellingLine(output)}`));
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** The last error line without its timestamp, or else the last line. Ignores refusals during startup. */
export function tellingLine(output: string): string {
  const lines = output
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.includes("FATAL:  the database system is"));
  const line = lines.findLast((candidate) => /\b(FATAL|PANIC|ERROR|error):/.test(candidate)) ?? lines.at(-1);
  return line?.replace(/^.*\b(?=(FATAL|PANIC|ERROR):)/, "").trim() ?? "no output";
}
