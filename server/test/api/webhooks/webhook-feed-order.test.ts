import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDb } from "../../../src/db/db.ts";
import { alignFeed } from "../../../src/db/webhooks/account-events.ts";
import { type FeedPosition, readFeed } from "../../../src/db/webhooks/feed.ts";
import { randomEventId } from "../../../src/random.ts";
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
