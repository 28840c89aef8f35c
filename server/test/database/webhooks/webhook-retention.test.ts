import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../../chaos/until.ts";
import { openDb } from "../../../src/db/db.ts";
import { migrate, readMigrations } from "../../../src/db/migrate.ts";
import { randomEventId } from "../../../src/random.ts";
import { tidyWebhooks } from "../../../src/usecases/webhooks/tidy-webhooks.ts";
import { createTestDatabase, startTestApp, type TestApp } from "../../support/test-app.ts";
import { addEndpoint, type TestEndpoint } from "../../support/webhooks.ts";

const DAY_MS = 24 * 3600 * 1000;
const RETENTION_DAYS = 35;

let app: TestApp;
let endpoint: TestEndpoint;
beforeAll(async () => {
  // Nothing is delivered here: pending deliveries stay pending.
  app = await startTestApp({ env: { WEBHOOK_CONCURRENCY: "0", WEBHOOK_RETENTION_DAYS: String(RETENTION_DAYS) } });
  endpoint = await addEndpoint(app, { url: "http://127.0.0.1:9/hook" });
});
afterAll(() => app.stop());

/** Like the job, which retries a minute later if another transaction has locked the table. */
const tidied = () =>
  until("a week is made or dropped", () =>
    tidyWebhooks(app.deps).then(
      () => true,
      (error: Error) => {
        if (/lock timeout/.test(error.message)) return false;
        throw error;
      },
    ),
  );

const rowsOf = async (text: string, ...params: unknown[]) => (await app.deps.db.raw(text, params)).rows;
const weeks = async (table: string) =>
  (
    await rowsOf(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1",
      table,
    )
  ).map(({ name }) => String(name));

/** An event of some days ago, after its delivery or, if pending, before it; the caller chooses how its id is made. */
async function addEvent(days_ago: number, given: { waits?: boolean; version?: 4 | 7 } = {}): Promise<string> {
  const { account_id, endpoint_id } = endpoint;
  const at = new Date(app.deps.now().getTime() - days_ago * DAY_MS);
  const random = randomUUID();
  const event_id =
    given.version === 4
      ? random
      : `${at
          .getTime()
          .toString(16)
          .padStart(12, "0")
          .replace(/^(.{8})/, "$1-")}-7${random.slice(15)}`;
  await app.deps.db.transaction(async (tx) => {
    await tx.raw("select set_config('pestle.copying', 'on', true)");
    await tx.raw(
      `insert into webhook_event (account_id, event_id, event_type, order_number, body, created_at)
      values ($1, $2, 'RX_UPDATED', 'ORDER00001', '{}', $3)`,
      [account_id, event_id, at],
    );
    await tx.raw(
      `insert into webhook_attempt (account_id, event_id, endpoint_id, attempt, at, delivery_status, duration_ms)
      values ($1, $2, $3, 1, $4, $5, 1)`,
      [account_id, event_id, endpoint_id, at, given.waits ? "pending" : "delivered"],
    );
    if (given.waits) {
      await tx.raw(
        `insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, attempts, due_at)
        values ($1, $2, $3, 1, 1, $4)`,
        [account_id, event_id, endpoint_id, at],
      );
    }
  });
  return event_id;
}
const isThere = async (event_id: string) => {
  const events = await rowsOf(
    "select tableoid::regclass::text as place from webhook_event where event_id = $1",
    event_id,
  );
  const attempts = await rowsOf(
    "select tableoid::regclass::text as place from webhook_attempt where event_id = $1",
    event_id,
  );
  expect(attempts.length, "an event and its attempts come and go together").toBe(events.length);
  return events.length === 1;
};

test("the next month has a partition for every week, and an event and its attempts are in the same one", async () => {
  await tidied();
  for (const table of ["webhook_event", "webhook_attempt"]) {
    const names = await weeks(table);
    expect(names).toContain(`${table}_default`);
    expect(names.length).toBeGreaterThanOrEqual(6);
  }
  const event_id = await addEvent(0);
  const [event] = await rowsOf(
    "select tableoid::regclass::text as place from webhook_event where event_id = $1",
    event_id,
  );
  const [attempt] = await rowsOf(
    "select tableoid::regclass::text as place from webhook_attempt where event_id = $1",
    event_id,
  );
  expect(event!["place"]).toMatch(/^webhook_event_\d{8}$/);
  expect(String(attempt!["place"]).slice(-8)).toBe(String(event!["place"]).slice(-8));
});

test("over time, old weeks are dropped, new ones are added, and pending deliveries keep their events and attempts", async () => {
  const [delivered, waiting] = [await addEvent(0), await addEvent(0, { waits: true })];
  const before = await weeks("webhook_event");
  app.advance((RETENTION_DAYS - 1) * DAY_MS);
  await tidied();
  expect(await isThere(delivered)).toBe(true);
  app.advance(9 * DAY_MS);
  await tidied();
  expect(await isThere(delivered)).toBe(false);
  expect(await isThere(waiting)).toBe(true);
  const after = await weeks("webhook_event");
  expect(after).not.toContain(before[0]);
  expect(after.length).toBeLessThanOrEqual(before.length + 7);
  // No endpoint received it a second time.
  expect(await rowsOf("select 1 from webhook_delivery where event_id = $1", waiting)).toHaveLength(1);
  // Once it is delivered, it is deleted like the others.
  await app.deps.db.raw("delete from webhook_delivery where event_id = $1", [waiting]);
  await tidied();
  expect(await isThere(waiting)).toBe(false);
});

test("rows outside any week, after a restore or with a wrong clock, are deleted by age too", async () => {
  const young = [await addEvent(10), await addEvent(10, { version: 4 }), await addEvent(-200)];
  const old = [await addEvent(RETENTION_DAYS + 40), await addEvent(RETENTION_DAYS + 1, { version: 4 })];
  const old_and_waiting = await addEvent(400, { waits: true });
  await tidied();
  for (const event_id of [...young, old_and_waiting]) expect(await isThere(event_id)).toBe(true);
  for (const event_id of old) expect(await isThere(event_id)).toBe(false);
});

test("a week that is added late takes over its rows from the default partition", async () => {
  const event_id = await addEvent(-40);
  expect(
    (await rowsOf("select tableoid::regclass::text as place from webhook_event where event_id = $1", event_id))[0],
  ).toEqual({
    place: "webhook_event_default",
  });
  app.advance(20 * DAY_MS);
  await tidied();
  const [event] = await rowsOf(
    "select tableoid::regclass::text as place from webhook_event where event_id = $1",
    event_id,
  );
  expect(event!["place"]).toMatch(/^webhook_event_\d{8}$/);
  expect(await isThere(event_id)).toBe(true);
});

test("deliveries to a removed endpoint are deleted, and hourly totals do not outlive the events", async () => {
  const { account_id } = endpoint;
  const event_id = await addEvent(0);
  await app.deps.db.raw(
    `insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, due_at)
    values ($1, $2, $3, 1, now())`,
    [account_id, event_id, randomUUID()],
  );
  await app.deps.db.raw(
    `insert into webhook_endpoint_hour (account_id, endpoint_id, hour, attempts, delivered, failed, duration_ms, slowest_ms)
    select $1, $2, date_trunc('hour', $3::timestamptz - n * interval '10 days'), 1, 1, 0, 1, 1
    from generate_series(0, 9) as n`,
    [account_id, endpoint.endpoint_id, app.deps.now()],
  );
  await tidied();
  expect(await rowsOf("select 1 from webhook_delivery where event_id = $1", event_id)).toEqual([]);
  expect(await rowsOf("select 1 from webhook_endpoint_hour where endpoint_id = $1", endpoint.endpoint_id)).toHaveLength(
    4,
  );
});

test("orders continue while a week is added or dropped: a job that cannot lock the table immediately retries later", async () => {
  app.advance(60 * DAY_MS);
  await app.deps.db.transaction(async (tx) => {
    // A transaction that has written an event and not committed.
    await tx.raw("lock table webhook_event in row exclusive mode");
    await expect(tidyWebhooks(app.deps)).rejects.toThrow();
  });
  await tidied();
});

test("events from before the weekly partitions are migrated in order, and not sent again", async () => {
  const empty = await createTestDatabase("");
  const db = openDb({ connection: { connectionString: empty.url }, pool_size: 2, named_statements: true });
  const { version } = readMigrations().find(({ name }) => name === "webhooks")!;
  await migrate(db, { upTo: version - 1 });
  await db.raw("insert into account (account_id, environment, created_at) values ('aaaaaaaaaaaa', 'sandbox', now())");
  const ids = [randomUUID(), randomEventId(), randomUUID(), randomEventId()];
  for (const [index, event_id] of ids.entries()) {
    await db.raw(
      `insert into webhook_event (account_id, event_id, event_type, body, created_at)
      values ('aaaaaaaaaaaa', $1, 'RX_RECEIVED', $2, now() + $3 * interval '1 second')`,
      [event_id, `{"number":${index}}`, index],
    );
  }
  await migrate(db);
  const { rows } = await db.raw("select event_id, body from webhook_event order by feed_position, event_position");
  expect(rows).toEqual(ids.map((event_id, index) => ({ event_id, body: `{"number":${index}}` })));
  expect((await db.raw("select 1 from webhook_delivery")).rows).toEqual([]);
  await db.close();
  await empty.drop();
});
