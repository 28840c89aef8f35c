import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDb } from "../../../src/db/db.ts";
import { closeLoss, listLosses, openLosses } from "../../../src/db/operations/database-runs.ts";
import { alignFeed } from "../../../src/db/webhooks/account-events.ts";
import { type FeedPosition, readFeed } from "../../../src/db/webhooks/feed.ts";
import { randomEventId } from "../../../src/random.ts";
import { checkLosses } from "../../../src/usecases/operations/losses/check-up-losses.ts";
import { runWatch } from "../../../src/usecases/operations/losses/watch-runs.ts";
import { openBody } from "../../../src/usecases/webhooks/event-body.ts";
import { tellLosses } from "../../../src/usecases/webhooks/tell-losses.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const WRITERS = 8;
const TRANSACTIONS = 40;
const START: FeedPosition = { feed_position: 0, event_position: 0 };
/** As many positions as the clock counts in an hour. */
const HOUR = 3_600 * 100_000;
/** How far behind the numbers of the new server are. */
const FEWER = 5_000_000;
const all = { event_type: null, order_number: null, delivered: null, after: null };

let app: TestApp;
let account_id: string;
beforeAll(async () => {
  app = await startTestApp();
  account_id = app.demo.partners[0]!.account_id;
});
afterAll(() => app.stop());

const insert = `
insert into webhook_event (account_id, event_id, event_type, body, created_at)
select $1, e.event_id, 'RX_UPDATED', '{}', now()
from unnest($2::uuid[]) as e(event_id)`;

test("a reader that follows the feed gets every event once, in any order of commits", async () => {
  const db = openDb({
    connection: { connectionString: app.config.DATABASE_OWNER_URL },
    pool_size: WRITERS,
    named_statements: false,
  });
  const written: string[] = [];
  let writing = WRITERS;
  const write = async (writer: number) => {
    for (let number = 0; number < TRANSACTIONS; number++) {
      const [first, second, third] = [randomEventId(), randomEventId(), randomEventId()];
      await db.transaction(async (tx) => {
        // The transaction takes its id first and writes its events much later, or the other way around.
        if (number % 2 === 0) await tx.raw("select pg_current_xact_id()");
        await tx.raw("select pg_sleep(random() * 0.01)");
        await tx.raw(insert, [account_id, [first, second]]);
        await tx.raw("select pg_sleep(random() * 0.01)");
        await tx.raw(insert, [account_id, [third]]);
        if (writer === 0) await tx.raw("select pg_sleep(0.02)");
      });
      written.push(first, second, third);
    }
    writing -= 1;
  };
  const read: string[] = [];
  const follow = async () => {
    let position = START;
    for (let last = false; ; ) {
      const { rows, end } = await readFeed(app.deps.db, account_id, all, position, 50);
      read.push(...rows.map(({ event_id }) => event_id));
      position = end;
      if (rows.length === 0 && last) return;
      last = writing === 0;
    }
  };
  await Promise.all([follow(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
  await db.close();
  expect(written).toHaveLength(WRITERS * TRANSACTIONS * 3);
  expect(read).toHaveLength(written.length);
  expect(new Set(read)).toEqual(new Set(written));
  // Those of one transaction are adjacent, in the order written.
  const places = new Map(read.map((event_id, place) => [event_id, place]));
  for (let index = 0; index < written.length; index += 3) {
    const [first, second, third] = written.slice(index, index + 3).map((event_id) => places.get(event_id)!);
    expect([second, third]).toEqual([first! + 1, first! + 2]);
  }
});

test("an event waits for every transaction that started writing before it", async () => {
  const db = openDb({
    connection: { connectionString: app.config.DATABASE_OWNER_URL },
    pool_size: 2,
    named_statements: false,
  });
  const ids = async () => {
    const { rows } = await readFeed(app.deps.db, account_id, { ...all, after: new Date(0) }, START, 5_000);
    return rows.map(({ event_id }) => event_id);
  };
  const [slow, quick] = [randomEventId(), randomEventId()];
  await db.transaction(async (tx) => {
    await tx.raw(insert, [account_id, [slow]]);
    await db.raw(insert, [account_id, [quick]]);
    // The fast one is committed: a reader that took it would never return for the slow one.
    expect(await ids()).not.toContain(quick);
  });
  expect((await ids()).slice(-2)).toEqual([slow, quick]);
  await db.close();
});

describe("on another server, whose transaction numbers are lower", () => {
  const newest = async () => {
    let position = START;
    for (;;) {
      const { rows, end } = await readFeed(app.deps.db, account_id, all, position, 5_000);
      if (rows.length === 0) return position;
      position = end;
    }
  };
  const base = async () => (await app.deps.db.raw("select base, server_started_at from webhook_feed")).rows[0]!;
  /** As after a restore: the row in the database names another server, which gave out numbers that this one has not reached. */
  const comeFromAnotherServer = () =>
    app.owner.raw("update webhook_feed set server_started_at = '2026-01-01', base = base - $1", [FEWER]);
  const nextEvents = async (after: FeedPosition) =>
    (await readFeed(app.deps.db, account_id, all, after, 10)).rows.map(({ event_id }) => event_id);

  test("positions continue above those of events that were lost with the other server", async () => {
    const gone = randomEventId();
    await app.deps.db.raw(insert, [account_id, [gone]]);
    const lost = await newest();
    await app.owner.raw("delete from webhook_event where account_id = $1 and event_id = $2", [account_id, gone]);
    await comeFromAnotherServer();
    await alignFeed(app.owner);
    const event_id = randomEventId();
    await app.deps.db.raw(insert, [account_id, [event_id]]);
    expect(await nextEvents(lost)).toEqual([event_id]);
  });

  test("the start of the service raises positions above every stored event, and only once", async () => {
    // Another account has an old event. The newest one of all counts.
    await app.deps.db.raw(insert, [app.demo.partners[1]!.account_id, [randomEventId()]]);
    // Its newest event comes from a server with a much higher transaction number, and a clock that was an hour fast.
    await app.owner.raw(
      `insert into webhook_event (account_id, event_id, event_type, body, created_at, feed_position)
      select $1, gen_random_uuid(), 'RX_UPDATED', '{}', now(), webhook_feed_position() + $2::bigint + n
      from generate_series(1, 3) as n`,
      [account_id, HOUR],
    );
    const before = await newest();
    await comeFromAnotherServer();
    await alignFeed(app.owner);
    const after = await newest();
    expect(after.feed_position).toBeGreaterThan(before.feed_position + HOUR);
    const event_id = randomEventId();
    await app.deps.db.raw(insert, [account_id, [event_id]]);
    expect(await nextEvents(after)).toEqual([event_id]);
    const raised = await base();
    await alignFeed(app.owner);
    expect(await base()).toEqual(raised);
  });

  test("the first event of a partner raises them, if the service did not restart", async () => {
    const after = await newest();
    await comeFromAnotherServer();
    const ids = Array.from({ length: WRITERS }, randomEventId);
    const service = app.deps.db.of(account_id);
    await Promise.all(ids.map((event_id) => service.raw(insert, [account_id, [event_id]])));
    expect(new Set(await nextEvents(after))).toEqual(new Set(ids));
  });
});

describe("after a failover that lost writes", () => {
  const newWatch = () => runWatch(app.deps);
  /** As if a server with asynchronous replication had come before this one. */
  const comeFromAnotherTimeline = (synchronous = false) =>
    app.owner.raw("update database_run set timeline = timeline - 1, synchronous = $1", [synchronous]);
  const newest = async () => {
    const { rows } = await readFeed(app.deps.db, account_id, { ...all, event_type: "DATA_LOST" }, START, 10);
    return rows;
  };

  test("a process that starts notices it, doctor fails until it is closed, and each feed has one event", async () => {
    await newWatch().look();
    expect(await openLosses(app.deps.db)).toEqual([]);
    expect((await checkLosses(app.deps.db)).state).toBe("ok");
    await comeFromAnotherTimeline();
    const watch = newWatch();
    await watch.look();
    await watch.look();
    const [loss, ...others] = await openLosses(app.deps.db);
    expect(others).toEqual([]);
    expect(loss!.lost_bytes).toBeNull();
    expect(loss!.lost_until.getTime()).toBeGreaterThanOrEqual(loss!.lost_from.getTime());
    expect(await checkLosses(app.deps.db)).toEqual({
      what: "data loss",
      state: "failed",
      says: expect.stringContaining(`number ${loss!.loss_id}`),
    });
    expect(await app.deps.metrics.text()).toMatch(/^pestle_data_losses_open 1$/m);
    await tellLosses(app.deps, -60_000);
    await tellLosses(app.deps, -60_000);
    const [told, ...more] = await newest();
    expect(more).toEqual([]);
    expect(JSON.parse(openBody(app.deps.vault, told!))).toEqual({
      event_id: told!.event_id,
      event_type: "DATA_LOST",
      timestamp: expect.any(Number),
      lost_from: loss!.lost_from.toISOString(),
      lost_until: loss!.lost_until.toISOString(),
    });
    expect(await closeLoss(app.deps.db, loss!.loss_id, new Date())).toBe(1);
    expect((await checkLosses(app.deps.db)).state).toBe("ok");
  });

  test("more that is lost in the same failover opens a closed loss again", async () => {
    const { loss_id } = (await listLosses(app.deps.db)).at(-1)!;
    expect((await openLosses(app.deps.db)).map((one) => one.loss_id)).not.toContain(loss_id);
    await comeFromAnotherTimeline();
    await newWatch().look();
    expect((await openLosses(app.deps.db)).map((one) => one.loss_id)).toContain(loss_id);
    await closeLoss(app.deps.db, loss_id, new Date());
  });

  test("a failover with synchronous replication is no loss, and neither is the same history or another data folder", async () => {
    const before = (await openLosses(app.deps.db)).length;
    await comeFromAnotherTimeline();
    await app.owner.raw("update database_run set system_id = '1'");
    await newWatch().look();
    // As after an upgrade of the service: nobody watched before.
    await app.owner.raw("delete from database_run");
    await newWatch().look();
    await comeFromAnotherTimeline(true);
    await newWatch().look();
    await newWatch().look();
    expect(await openLosses(app.deps.db)).toHaveLength(before);
  });
});
