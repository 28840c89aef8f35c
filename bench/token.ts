import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { killServer, removeDataDir, startServer } from "../chaos/server-process.ts";
import { findPgbench, startSystemPostgres } from "../scripts/system-postgres.ts";
import { startChild } from "./child.ts";
import type { Load, Measured } from "./load.ts";
import { runPgbench } from "./pgbench.ts";
import { type Prepared, prepareAccount } from "./prepare-account.ts";
import { type Report, report } from "./report.ts";

const ROUNDS = 3;
const ROUND_MS = 5_000;
const WARM_UP_MS = 2_000;
const CONNECTIONS = 32;
/** Each client id may ask 20 times a second, so this many allow for more than the machine can do. */
const CREDENTIALS = 1_000;
const DATABASE = "pestle_bench";
const MASTER_KEY = "0".repeat(64);
/** PostgreSQL's backends tell their counters ten seconds after they fell idle. */
const COUNTERS_TOLD_MS = 11_000;

/**
 * Tokens and authenticated reads a second, beside what the web framework and the database do alone: the figures differ
 * from machine to machine, their ratios hardly.
 */
export async function benchToken(): Promise<Report> {
  const bin_dir = findPgbench();
  if (bin_dir === undefined) {
    throw new Error("there is no pgbench: install PostgreSQL's server programs (Debian: apt install postgresql-15)");
  }
  const closers: (() => unknown)[] = [];
  try {
    const postgres = await startSystemPostgres(bin_dir);
    closers.unshift(() => postgres.stop());
    const admin = new pg.Client({ connectionString: postgres.url.replace("{database}", "postgres") });
    await admin.connect();
    closers.unshift(() => admin.end());
    await admin.query(`create database ${DATABASE}`);
    const [generator, bare] = [startChild("./load.ts"), startChild("./bare-route.ts")];
    closers.unshift(generator.end, bare.end);
    const data_dir = mkdtempSync(join(tmpdir(), "pestle-bench-"));
    closers.unshift(() => removeDataDir(data_dir));
    const url = postgres.url.replace("{database}", DATABASE);
    const env = { DATABASE_URL: url, MASTER_KEY, LOG_LEVEL: "info" };
    const server = await startServer({ data_dir, from: "built", env, args: ["--demo"] });
    closers.unshift(() => killServer(server));

    const prepared = await prepareAccount({ url, MASTER_KEY, demo: server.demo, credentials: CREDENTIALS });
    const { url: bare_url } = await bare.ask(prepared.read_body);
    const loads = httpLoads(server.demo, prepared, String(bare_url));
    const measure = async (name: keyof typeof loads, duration_ms: number): Promise<Measured> => {
      const { measured } = await generator.ask({ ...loads[name], connections: CONNECTIONS, duration_ms });
      const { not_ok } = measured as Measured;
      if (not_ok.length > 0) throw new Error(`${name}: answers with ${not_ok.join(", ")}`);
      return measured as Measured;
    };
    const pgbench = (duration_ms: number) =>
      runPgbench(postgres, {
        database: DATABASE,
        account_id: prepared.account_id,
        credentials: CREDENTIALS,
        duration_s: duration_ms / 1000,
      });

    for (const name of ["token", "read", "bare"] as const) await measure(name, WARM_UP_MS);
    pgbench(WARM_UP_MS);
    const rounds = [];
    for (let round = 1; round <= ROUNDS; round++) {
      // Side by side in time, so that whatever slows the machine slows all four.
      const token = await measure("token", ROUND_MS);
      const read = await measure("read", ROUND_MS);
      const bare_route = await measure("bare", ROUND_MS);
      rounds.push({ token, read, bare_route, pgbench_per_second: pgbench(ROUND_MS) });
    }

    const transactions = async () => {
      await delay(COUNTERS_TOLD_MS);
      const text = "select xact_commit::int as count from pg_stat_database where datname = $1";
      return (await admin.query<{ count: number }>(text, [DATABASE])).rows[0]!.count;
    };
    const statements = { token: 0, read: 0 };
    let before = await transactions();
    for (const name of ["token", "read"] as const) {
      const { count } = await measure(name, WARM_UP_MS);
      const after = await transactions();
      statements[name] = (after - before) / count;
      before = after;
    }
    return report(rounds, statements);
  } finally {
    for (const close of closers) await close();
  }
}

function httpLoads(
  demo: { base_url: string; auth_url: string },
  { clients, access_token }: Prepared,
  bare_url: string,
): Record<"token" | "read" | "bare", Pick<Load, "url" | "requests">> {
  const tokenRequest = ({ client_id, client_secret }: Prepared["clients"][number]) => {
    const body = `grant_type=client_credentials&scope=partners&client_id=${client_id}&client_secret=${client_secret}`;
    return [
      "POST /oauth/token HTTP/1.1",
      "host: localhost",
      "content-type: application/x-www-form-urlencoded",
      `content-length: ${body.length}`,
      "",
      body,
    ].join("\r\n");
  };
  const readRequest = [
    "GET /shipping_methods HTTP/1.1",
    "host: localhost",
    "accept: application/json",
    `authorization: Bearer ${access_token}`,
    "",
    "",
  ].join("\r\n");
  return {
    token: { url: demo.auth_url, requests: clients.map(tokenRequest) },
    read: { url: demo.base_url, requests: [readRequest] },
    bare: { url: bare_url, requests: [readRequest] },
  };
}
