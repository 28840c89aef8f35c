import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import {
  type From,
  killServer,
  removeDataDir,
  type ServerProcess,
  startServer,
  stopServer,
} from "../chaos/server-process.ts";
import { findPgbench, startSystemPostgres } from "../scripts/system-postgres.ts";
import type { Database } from "../server/src/db/db.ts";
import type { Demo } from "../server/src/seed/demo-file.ts";
import type { Vault } from "../server/src/vault/vault.ts";
import type { Checkout } from "./checkout.ts";
import { type ChildFile, startChild } from "./child.ts";
import { holdToShare } from "./core-share.ts";
import { cpuUsedFrom, residentBytes } from "./cpu.ts";
import type { Load, Measured } from "./load.ts";
import { type PgbenchRun, runPgbench } from "./pgbench.ts";

/** How long and how often to measure. Real figures need the defaults; a smaller effort only shows that a bench works. */
export type Effort = { rounds: number; round_ms: number; warm_up_ms: number };

/** Processor time in milliseconds, or null where the system does not report it. */
export type Cost = { service_ms: number | null; postgres_ms: number | null };
/** What a part of the service can reach alone. */
export type Ceiling = { per_second: number; cpu_ms: number | null };

/** What every measurement needs: a service on a system PostgreSQL, and a load generator. */
export type Stage = {
  checkout: Checkout;
  demo: Demo;
  /** The service's own database and keys, to prepare a measurement. */
  db: Database;
  vault: Vault;
  measure(name: string, load: Omit<Load, "connections" | "others">): Promise<Measured>;
  /** Runs something and returns what it cost the service and PostgreSQL in total. */
  costOf<Result>(work: () => Promise<Result>): Promise<Cost & { result: Result }>;
  /** Resident memory of the service's process; null where the system does not report it. */
  memory_bytes(): number | null;
  /** Null if the checkout's statements do not run there. */
  pgbench(run: PgbenchRun): Ceiling | null;
  /** Another file of this folder in its own process, until the stage closes. */
  child(file: ChildFile): ReturnType<typeof startChild>;
};

export type StageOptions = {
  checkout: Checkout;
  from?: From | undefined;
  /** A folder for a processor profile of the service. */
  profile?: string | undefined;
  /** More settings of the service. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Processes of the service on the same database; one if absent. The connections of a load alternate between them. */
  processes?: number;
  /** Holds each process to this share of a core. */
  core_share?: number;
};

const CONNECTIONS = 32;
const MOST_SHOWN = 2_000;
const DATABASE = "pestle_bench";
const MASTER_KEY = "0".repeat(64);
/** The account of the bench is alone. With its usual share of the sandbox, it would have four requests at once. */
const ACCOUNT_SHARE = "100";

export async function onStage<Result>(
  { checkout, from = "built", profile, env: more = {}, processes = 1, core_share }: StageOptions,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const bin_dir = findPgbench();
  if (bin_dir === undefined) {
    throw new Error("pgbench is missing: install PostgreSQL's server programs (Debian: apt install postgresql-15)");
  }
  const closers: (() => unknown)[] = [];
  try {
    // The time from a commit to the first attempt needs the time of the commit.
    const postgres = await startSystemPostgres(bin_dir, ["track_commit_timestamp=on"]);
    closers.unshift(() => postgres.stop());
    const admin = new pg.Client({ connectionString: postgres.url.replace("{database}", "postgres") });
    await admin.connect();
    closers.unshift(() => admin.end());
    await admin.query(`create database ${DATABASE}`);
    const child = (file: ChildFile) => {
      const started = startChild(file);
      closers.unshift(started.end);
      return started;
    };
    const generator = child("./load.ts");
    const url = postgres.url.replace("{database}", DATABASE);
    const env = { DATABASE_URL: url, MASTER_KEY, LOG_LEVEL: "info", ACCOUNT_SHARE, ...more };
    const node_args = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
    const data_dirs: string[] = [];
    const servers: ServerProcess[] = [];
    for (let number = 0; number < processes; number++) {
      const data_dir = mkdtempSync(join(tmpdir(), "pestle-bench-"));
      closers.unshift(() => removeDataDir(data_dir));
      // The other processes read from the file that the demo exists, and write their own addresses there.
      if (number > 0) copyFileSync(join(data_dirs[0]!, "demo.json"), join(data_dir, "demo.json"));
      data_dirs.push(data_dir);
      const server = await startServer({ root: checkout.root, data_dir, from, node_args, env, args: ["--demo"] });
      if (core_share !== undefined) closers.unshift(holdToShare(server.pid, core_share));
      // A killed process writes no profile.
      closers.unshift(() => (profile === undefined ? killServer(server) : stopServer(server)));
      servers.push(server);
    }
    const [{ demo }] = servers as [ServerProcess];
    const { modules } = checkout;
    const { openDb } = modules["server/src/db/db.ts"];
    const db = openDb({ connection: { connectionString: url }, pool_size: 2, named_statements: true });
    closers.unshift(() => db.close());
    const config = modules["server/src/config.ts"].readConfig({ DATABASE_URL: url, MASTER_KEY });
    const { masterKeys } = modules["server/src/vault/master-key.ts"];
    const vault = await modules["server/src/vault/vault.ts"].openVault(db, () => masterKeys(config), new Date());

    return await work({
      checkout,
      demo,
      db,
      vault,
      async measure(name, load) {
        const others = load.url === demo.base_url ? servers.slice(1).map((server) => server.demo.base_url) : [];
        const answer = await generator.ask({ ...load, others, connections: CONNECTIONS });
        const measured = answer["measured"] as Measured;
        if (measured.not_ok.length > 0) throw new Error(`${name}: answers with ${measured.not_ok.join(", ")}`);
        return measured;
      },
      async costOf(work) {
        const spent = [postgres, ...servers].map(({ pid }) => cpuUsedFrom(pid));
        const result = await work();
        const [postgres_ms = null, ...services_ms] = spent.map((used_ms) => used_ms());
        return { result, service_ms: sumOf(services_ms), postgres_ms };
      },
      memory_bytes: () => residentBytes(servers[0]!.pid),
      pgbench(run) {
        const used_ms = cpuUsedFrom(postgres.pid);
        try {
          const { per_second, count } = runPgbench(postgres, DATABASE, run);
          return { per_second, cpu_ms: each(used_ms(), count) };
        } catch (error) {
          // The message begins with the command line, which has the statements' values.
          const { stderr = "", message } = error as Error & { stderr?: string };
          console.error((stderr === "" ? message : stderr).slice(0, MOST_SHOWN));
          return null;
        }
      },
      child,
    });
  } finally {
    for (const close of closers) await close();
  }
}

/** Several stages at once, each with its own database and service. */
export function onStages<Result>(
  variants: readonly StageOptions[],
  work: (stages: Stage[]) => Promise<Result>,
  opened: Stage[] = [],
): Promise<Result> {
  const [next, ...rest] = variants;
  if (next === undefined) return work(opened);
  return onStage(next, (stage) => onStages(rest, work, [...opened, stage]));
}

const sumOf = (values: readonly (number | null)[]) =>
  values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);

/** The share of each of `count` operations. */
export const each = (total: number | null, count: number) => (total === null || count === 0 ? null : total / count);
