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
  const newWatch = () => runWatch({ db, log: pino({ level: "silent" }), metrics: createMetrics() });
  const [watch, other] = [newWatch(), newWatch()];
  const position = async () => {
    const { rows } = await db.raw("select webhook_feed_position()::float8 as position");
    return Number(rows[0]!["position"]);
  };
  await watch.look();
  await other.look();
  const { rows } = await db.raw("select seen_at, base::float8 from database_run, webhook_feed");
  const [{ seen_at, base: seen_base }] = rows as [{ seen_at: Date; base: number }];

  await servers.stopPrimary();
  await servers.promoteReplica();
  await until(async () => {
    await watch.look();
    return (await openLosses(db)).length === 1;
  }, "the process has seen the successor");
  await other.look();
  const given_out = await position();

  await servers.stopReplica();
  await servers.startPrimary();
  // As if it had only been frozen: it knows nothing of the other one's positions, and partners get events with its own.
  await until(() => db.raw("select").then(Boolean, () => false), "the primary answers");
  const { rows: accounts } = await db.raw("select account_id from account limit 1");
  await db.raw(`update webhook_feed set server_started_at = pg_postmaster_start_time(), base = ${seen_base}`);
  const written = await db.raw(
    `insert into webhook_event (account_id, event_id, event_type, body, created_at)
    values ($1, gen_random_uuid(), 'RX_UPDATED', '{}', now()) returning event_id, feed_position::float8`,
    [accounts[0]!["account_id"]],
  );
  const [{ event_id, feed_position }] = written.rows as [{ event_id: string; feed_position: number }];
  expect(feed_position).toBeLessThan(given_out);

  await watch.look();
  const losses = await openLosses(db);
  expect(losses).toHaveLength(1);
  expect(losses[0]).toMatchObject({ lost_from: seen_at, lost_bytes: null });
  expect(losses[0]!.lost_until.getTime()).toBeGreaterThan(seen_at.getTime());
  expect(await position()).toBeGreaterThan(given_out);
  const { rows: moved } = await db.raw("select feed_position::float8 from webhook_event where event_id = $1", [
    event_id,
  ]);
  expect(moved[0]!["feed_position"]).toBeGreaterThan(given_out);
  const { rows: older } = await db.raw(
    "select count(*)::integer as moved from webhook_event where feed_position > $1",
    [given_out],
  );
  expect(older[0]!["moved"]).toBe(1);

  // A second process has seen the same. It raises nothing again, because readers may have read on.
  const { rows: bases } = await db.raw("select base from webhook_feed");
  await other.look();
  expect((await db.raw("select base from webhook_feed")).rows).toEqual(bases);
  expect(await openLosses(db)).toHaveLength(1);
});
