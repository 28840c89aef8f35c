import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Db, openDb } from "../../server/src/db/db.ts";
import { intakeToken, partnerToken } from "../client.ts";
import { brokenInvariants } from "../invariants/in-database.ts";
import { journey, liftLimits, type Sites } from "../journeys.ts";
import {
  type From,
  killServer,
  removeDataDir,
  type ServerProcess,
  startServer,
  stopServer,
} from "../server-process.ts";
import { parts } from "../tally.ts";
import { until } from "../until.ts";
import { startBackedUpPostgres } from "./backed-up-postgres.ts";
import { followFeed, missedEvents, replayFeed } from "./feed-reader.ts";
import { judgeMoment, storedOrders } from "./journey-ledger.ts";
import { runJourneys } from "./journey-load.ts";

export type RecoveryTally = {
  /** Orders that clients placed, before and after the moment. */
  before: number;
  after: number;
  restored_orders: number;
  restored_bytes: number;
  restore_ms: number;
  faults: string[];
};

const CLIENTS = 4;

const TOLD_WITHIN_MS = 60_000;

/** The service notices the restore by itself, and tells partners from which moment on writes are missing. */
async function judgeTold(db: Db, moment_ms: number): Promise<string[]> {
  const told = async () => {
    const { rows } = await db.raw("select lost_from, lost_until from data_loss where told_until = lost_until");
    return rows[0];
  };
  const loss = await until("partners have an event for the restore", told, {
    deadline_ms: TOLD_WITHIN_MS,
    pause_ms: 100,
  });
  const { lost_from, lost_until } = loss as { lost_from: Date; lost_until: Date };
  const right = lost_from.getTime() <= moment_ms && lost_until.getTime() > moment_ms;
  return right ? [] : [`partners read of a loss from ${lost_from.toISOString()} to ${lost_until.toISOString()}`];
}

const FILLED_AT_ONCE = 64;

/** Rows that do not compress, as sealed columns do not: otherwise the database would be too small to measure its restore. */
async function fill(db: Db, megabytes: number): Promise<void> {
  if (megabytes === 0) return;
  await db.raw("create table campaign_filler (filler bytea)");
  await db.raw("alter table campaign_filler alter filler set storage external");
  for (const size of parts(megabytes, FILLED_AT_ONCE)) {
    // Longer than any window of the compressors.
    const text = "insert into campaign_filler select $1::bytea from generate_series(1, $2::integer)";
    await db.raw(text, [randomBytes(2 ** 20), size]);
  }
}

/**
 * Backs up a busy database, in full and then incrementally, and restores it as it was at a moment between two orders. `orders` is
 * the number before each backup, before the moment and after it. The service then continues on the restored database.
 */
export async function campaignRecovery(options: {
  from: From;
  orders: number;
  megabytes?: number;
  random: () => number;
  onProgress?: (line: string) => void;
}): Promise<RecoveryTally> {
  const { from, orders, megabytes = 0, random, onProgress = () => {} } = options;
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-recovery-data-"));
  const postgres = await startBackedUpPostgres();
  const start = (DATABASE_URL: string) =>
    startServer({ data_dir, from, env: { DATABASE_URL, MASTER_KEY: "0".repeat(64) }, args: ["--demo"] });
  let server: ServerProcess | undefined;
  try {
    server = await start(postgres.database_url);
    const sites: Sites = () => [server?.demo];
    const { account_id } = server.demo.partners[0]!;
    const db = openDb({
      connection: { connectionString: postgres.database_url },
      pool_size: 2,
      named_statements: false,
    });
    await liftLimits(db, account_id);
    await fill(db, megabytes);
    const tokens = { partner: await partnerToken(server.demo), intake: await intakeToken(server.demo) };
    const reader = followFeed(sites, tokens.partner);
    const visit = (number: string, onWritten: () => void) => journey(sites, tokens, number, random, onWritten);
    const load = runJourneys(CLIENTS, visit);
    await load.written(orders);
    await postgres.run("full-backup.sh");
    onProgress("full backup");
    await load.written(orders);
    await postgres.run("incremental-backup.sh");
    onProgress("incremental backup");
    await load.written(orders);
    const { rows } = await db.raw(
      "select clock_timestamp()::text as moment, extract(epoch from clock_timestamp()) * 1000 as ms",
    );
    const [{ moment, ms: moment_ms }] = rows as [{ moment: string; ms: number }];
    await load.written(orders);
    const journeys = await load.stop();
    // Archives the log up to here, so that the moment is in the middle of it.
    await postgres.run("incremental-backup.sh");
    await db.close();
    await reader.pause();
    await stopServer(server);
    server = undefined;

    const restored = await postgres.restore(moment);
    onProgress(`restored ${moment}`);
    const copy = openDb({
      connection: { connectionString: restored.database_url },
      pool_size: 2,
      named_statements: false,
    });
    try {
      const stored = await storedOrders(copy, account_id);
      const faults = judgeMoment(journeys, Number(moment_ms), stored);
      server = await start(restored.database_url);
      tokens.partner = await partnerToken(server.demo);
      tokens.intake = await intakeToken(server.demo);
      reader.resume();
      const more = runJourneys(CLIENTS, visit, journeys.length + CLIENTS);
      await more.written(orders);
      await more.stop();
      faults.push(...(await judgeTold(copy, Number(moment_ms))));
      const followed = await reader.finish();
      faults.push(...missedEvents(followed, await replayFeed(sites, tokens.partner)));
      faults.push(...(await brokenInvariants(copy, "recovery", account_id)));
      const before = journeys.filter(({ answered_ms }) => answered_ms < Number(moment_ms)).length;
      const { bytes: restored_bytes, took_ms: restore_ms } = restored;
      return {
        before,
        after: journeys.length - before,
        restored_orders: stored.length,
        restored_bytes,
        restore_ms,
        faults,
      };
    } finally {
      await copy.close();
    }
  } finally {
    if (server !== undefined) await stopServer(server).finally(() => killServer(server!));
    await postgres.stop();
    await removeDataDir(data_dir);
  }
}
