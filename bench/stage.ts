import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { killServer, removeDataDir, startServer } from "../chaos/server-process.ts";
import { findPgbench, startSystemPostgres } from "../scripts/system-postgres.ts";
import { readConfig } from "../server/src/config.ts";
import { type Database, openDb } from "../server/src/db/db.ts";
import type { Demo } from "../server/src/seed/demo.ts";
import { masterKeys } from "../server/src/vault/master-key.ts";
import { openVault, type Vault } from "../server/src/vault/vault.ts";
import { startChild } from "./child.ts";
import type { Load, Measured } from "./load.ts";
import { type PgbenchRun, runPgbench } from "./pgbench.ts";

/**
 * How long and how often to measure. The first is for real figures; the smaller one only shows that the bench works.
 */
export type Effort = { rounds: number; round_ms: number };
export const WARM_UP_MS = 2_000;

/** What every measurement needs: the built service on a system PostgreSQL, and a load generator. */
export type Stage = {
  demo: Demo;
  /** The service's own database and keys, to prepare a measurement. */
  db: Database;
  vault: Vault;
  measure(name: string, load: Omit<Load, "connections">): Promise<Measured>;
  pgbench(run: PgbenchRun): number;
  /** Statements per request of a load. Outside a transaction, each statement is a transaction of its own. */
  statementsPer(work: () => Promise<Measured>): Promise<number>;
  /** Registers another resource to close at the end. */
  onClose(close: () => unknown): void;
};

const CONNECTIONS = 32;
const DATABASE = "pestle_bench";
const MASTER_KEY = "0".repeat(64);
/** PostgreSQL's backends report their counters ten seconds after they become idle. */
const COUNTERS_TOLD_MS = 11_000;

export async function onStage<Result>(
  work: (stage: Stage) => Promise<Result>,
  options: { postgres_settings?: string[] } = {},
): Promise<Result> {
  const bin_dir = findPgbench();
  if (bin_dir === undefined) {
    throw new Error("pgbench is missing: install PostgreSQL's server programs (Debian: apt install postgresql-15)");
  }
  const closers: (() => unknown)[] = [];
  try {
    const postgres = await startSystemPostgres(bin_dir, options.postgres_settings);
    closers.unshift(() => postgres.stop());
    const admin = new pg.Client({ connectionString: postgres.url.replace("{database}", "postgres") });
    await admin.connect();
    closers.unshift(() => admin.end());
    await admin.query(`create database ${DATABASE}`);
    const generator = startChild("./load.ts");
    closers.unshift(generator.end);
    const data_dir = mkdtempSync(join(tmpdir(), "pestle-bench-"));
    closers.unshift(() => removeDataDir(data_dir));
    const url = postgres.url.replace("{database}", DATABASE);
    const env = { DATABASE_URL: url, MASTER_KEY, LOG_LEVEL: "info" };
    const server = await startServer({ data_dir, from: "built", env, args: ["--demo"] });
    closers.unshift(() => killServer(server));
    const db = openDb({ connection: { connectionString: url }, pool_size: 2, named_statements: true });
    closers.unshift(() => db.close());
    const config = readConfig({ DATABASE_URL: url, MASTER_KEY });
    const vault = await openVault(db, () => masterKeys(config), new Date());

    const transactions = async () => {
      await delay(COUNTERS_TOLD_MS);
      const text = "select xact_commit::int as count from pg_stat_database where datname = $1";
      return (await admin.query<{ count: number }>(text, [DATABASE])).rows[0]!.count;
    };
    return await work({
      demo: server.demo,
      db,
      vault,
      async measure(name, load) {
        const answer = await generator.ask({ ...load, connections: CONNECTIONS });
        const measured = answer["measured"] as Measured;
        if (measured.not_ok.length > 0) throw new Error(`${name}: answers with ${measured.not_ok.join(", ")}`);
        return measured;
      },
      pgbench: (run) => runPgbench(postgres, DATABASE, run),
      async statementsPer(measuring) {
        const before = await transactions();
        const { count } = await measuring();
        return ((await transactions()) - before) / count;
      },
      onClose: (close) => closers.unshift(close),
    });
  } finally {
    for (const close of closers) await close();
  }
}
