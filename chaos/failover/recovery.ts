import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../server/src/db/db.ts";
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

/**
 * Backs up a busy database, in full and then incrementally, and restores it as it was at a moment between two orders. `orders` is
 * the number before each backup, before the moment and after it. The service then continues on the restored database.
 */
export async function campaignRecovery(options: {
  from: From;
  orders: number;
  random: () => number;
  onProgress?: (line: string) => void;
}): Promise<RecoveryTally> {
  const { from, orders, random, onProgress = () => {} } = options;
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
