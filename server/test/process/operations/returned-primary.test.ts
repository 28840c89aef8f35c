import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Db, openDb } from "../../../src/db/db.ts";
import { openLosses } from "../../../src/db/operations/database-runs.ts";
import { createMetrics } from "../../../src/metrics/metrics.ts";
import { runWatch } from "../../../src/usecases/operations/losses/watch-runs.ts";
import { urlAs } from "../../support/test-cluster.ts";
import { type StreamingPair, startStreamingPair } from "../../support/tools/streaming-pair.ts";
import { until } from "../../support/tools/until.ts";

let servers: StreamingPair;
let db: Db;
beforeAll(async () => {
  servers = await startStreamingPair();
  const to = (url: string) => ({ connectionString: urlAs("jobs", url) });
  const connection = { ...to(servers.primary_url), others: [to(servers.replica_url)], writable: true };
  db = openDb({ connection, pool_size: 2, named_statements: false });
});
afterAll(async () => {
  await db?.close();
  await servers.stop();
});

test("a primary that leads again after another server did is a loss, and its feed continues above the other's", async () => {
  const watch = runWatch({ db, log: pino({ level: "silent" }), metrics: createMetrics() });
  const position = async () => {
    const { rows } = await db.raw("select webhook_feed_position()::float8 as position");
    return Number(rows[0]!["position"]);
  };
  await watch.look();
  const { rows } = await db.raw("select seen_at from database_run");
  const seen_at = rows[0]!["seen_at"] as Date;

  await servers.stopPrimary();
  await servers.promoteReplica();
  await until(async () => {
    await watch.look();
    return (await openLosses(db)).length === 1;
  }, "the process has seen the successor");
  const given_out = await position();

  await servers.stopReplica();
  await servers.startPrimary();
  // As if it had only been frozen: its base is from before.
  await db.raw("select 1").catch(() => {});
  const { rows: before } = await db.raw(
    "update webhook_feed set server_started_at = pg_postmaster_start_time() returning base",
  );
  await watch.look();
  const losses = await openLosses(db);
  expect(losses).toHaveLength(1);
  expect(losses[0]).toMatchObject({ lost_from: seen_at, lost_bytes: null });
  expect(losses[0]!.lost_until.getTime()).toBeGreaterThan(seen_at.getTime());
  expect(await position()).toBeGreaterThan(given_out);
  expect(Number(before[0]!["base"])).toBeLessThan(given_out);
});
