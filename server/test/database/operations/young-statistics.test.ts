import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillOrderBook } from "../../../../bench/order-book.ts";
import { ACCOUNT_SETTING, type Db, openDb, sql, type Tx } from "../../../src/db/db.ts";
import { unsealedTables } from "../../../src/db/operations/unsealed-rows.ts";
import { products } from "../../../src/seed/cast.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { allStatements } from "../../support/sql/all-statements.ts";
import { explain, lostSearches, type Prepared, prepare, type Searches } from "../../support/sql/searches.ts";
import { unboundTables } from "../../support/sql/unbound-tables.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const ORDERS = 10_000;
/** Tables of short-lived rows, which the order book does not fill. */
const MORE_ROWS: Record<string, string> = {
  order_fingerprint: `
    insert into order_fingerprint (account_id, fingerprint, order_number, created_at)
    select $1, decode(md5(n::text), 'hex'), lpad(n::text, 10, '0'), now() - n * interval '1 ms'
    from generate_series(1, $2::int) n`,
  idempotent_answer: `
    insert into idempotent_answer (account_id, path, idempotency_key, fingerprint, status, created_at, body_sealed)
    select $1, '/orders', n::text, '\\x00', 201, now() - n * interval '1 ms', p.record_sealed
    from generate_series(1, $2::int) n, (select record_sealed from patient limit 1) p`,
  access_token: `
    insert into access_token (account_id, token_hash, credential_id, scopes, created_at, expires_at)
    select $1, decode(md5(n::text), 'hex'), 'aaaaaaaa', '{partners}', now(), now() + n * interval '1 ms'
    from generate_series(1, $2::int) n`,
  audit_entry: `
    insert into audit_entry (at, account_id, action, subject, patient_keys)
    select now() - n * interval '1 ms', $1, 'order.placed', lpad(n::text, 10, '0'), array[n]
    from generate_series(1, $2::int) n`,
  order_exception: `
    insert into order_exception (account_id, order_number, exception_id, raised_at, resolved_at, occurrence)
    select account_id, order_number, 68, created_at, created_at, 1
    from orders
    where account_id = $1 and $2::int > 0`,
  intake_message: `
    insert into intake_message (account_id, format, sender, sender_message_id, body_hash, body_sealed, received_at)
    select $1, 'script', 'sender', n::text, '\\x00', p.record_sealed, now() - n * interval '1 ms'
    from generate_series(1, $2::int) n, (select record_sealed from patient limit 1) p`,
  // So few that PostgreSQL expects ten in each account and finds it cheaper to read them all than to look up several.
  patient_alias: `
    insert into patient_alias (account_id, alias_index, patient_key, created_at)
    select p.account_id, decode(md5(n::text), 'hex'), p.patient_key, p.created_at
    from generate_series(1, $2::int / 5) n, (select * from patient where account_id = $1 limit 1) p`,
  patient_name_claim: `
    insert into patient_name_claim (account_id, name_dob_index, revision)
    select $1, decode(md5(n::text), 'hex'), 1
    from generate_series(1, $2::int) n`,
  webhook_delivery: `
    insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, order_number, due_at)
    select account_id, event_id, account_endpoint, event_position, order_number, created_at
    from webhook_event, gen_random_uuid() account_endpoint
    where account_id = $1 and $2::int > 0`,
};

/** The tables with many rows. */
const FILLED = new Set([
  ...Object.keys(MORE_ROWS),
  "orders",
  "order_item",
  "order_history",
  "stock_entry",
  "webhook_event",
  "patient",
  "prescription",
]);

/** Statements that may search by fewer columns without statistics, each by a part of its text, and why that is fine. */
const EXEMPT: readonly (readonly [part: string, reason: string])[] = [
  ...Object.entries(unsealedTables).map(
    ([table, { clear }]) =>
      [
        `update ${table} t set ${clear[0]} = null`,
        "runs once, after an upgrade, on rows that the start reads anyway",
      ] as const,
  ),
  ["delete from webhook_attempt_default", "retention deletes the few attempts outside the weeks, in batches"],
  ["set attempts = 0 where account_id = $1", "the other index holds only messages that are not processed yet"],
  [
    "($2::bigint[])[unnest(array_positions($1::text[], h.account_id))] as patient_key",
    "a search of a staff member; dashboard-plans tests it with 100,000 orders",
  ],
  [
    "from order_history h join order_note n",
    "a report for inspectors of at most 31 days, with few rows that have a note",
  ],
  ["judged as materialized", "a page of events in the portal, at most 1,000 of them, with few deliveries waiting"],
];

/**
 * A page of orders by several filters may use the index of any of them. Test files that ran before build many of these.
 */
const hasSeveralFilters = (text: string) => /\bo\.order_position >= \$3 .*\$6/.test(text);

let app: TestApp;
let account_id: string;
/** One connection of the service, whose plans are for a table without rows. */
let planned_empty: Db;
/** A pool of two: one connection has plans for a table without rows, and rests. */
let resting: Db;
const clients: pg.Client[] = [];
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  ({ account_id } = app.demo.partners[0]!);
  await forgetStatistics();
  const connection = { connectionString: app.config.DATABASE_URL };
  planned_empty = openDb({ connection, pool_size: 1, named_statements: true });
  resting = openDb({ connection, pool_size: 2, named_statements: true });
  for (const db of [planned_empty, resting]) await db.of(account_id).transaction(rowsOfOneOrder);
  await fill();
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await planned_empty.close();
  await resting.close();
  await app.stop();
});

async function open(mode: "force_generic_plan" | "force_custom_plan"): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: app.config.DATABASE_OWNER_URL });
  await client.connect();
  clients.push(client);
  await client.query(`set plan_cache_mode = ${mode}`);
  await client.query("set jit = off");
  await client.query("select set_config($1, $2, false)", [ACCOUNT_SETTING, account_id]);
  return client;
}

/** As in a database that autovacuum has not seen yet, and will not see. */
async function forgetStatistics(): Promise<void> {
  const { rows } = await app.owner.raw(`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`);
  for (const { name } of rows) await app.owner.raw(`alter table ${name} set (autovacuum_enabled = false)`);
  await app.owner.raw("delete from pg_statistic");
  await app.owner.raw(`
    update pg_class set relpages = 0, reltuples = -1
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`);
}

async function fill(): Promise<void> {
  const { order_number: sample, items } = await placed(app, (await newOrder(app)).body);
  const product = products.find(({ sku }) => sku === items[0]!.sku)!;
  await fillOrderBook({ ...app.deps, db: app.owner }, account_id, { sample, product, count: ORDERS });
  for (const text of Object.values(MORE_ROWS)) await app.owner.raw(text, [account_id, ORDERS]);
}

/** An argument for a custom plan. A null would tell the planner that nothing can match. */
const argumentOf = (type: string) => {
  const one = (name: string) => {
    if (/^(text|character varying|name)$/.test(name)) return "a";
    if (/^(timestamp|date)/.test(name)) return "2026-01-01";
    if (name === "uuid") return "00000000-0000-4000-8000-000000000000";
    if (name === "boolean") return "true";
    if (name === "bytea") return "\\x00";
    if (name.startsWith("json")) return "{}";
    return "1";
  };
  const value = type.endsWith("[]") ? `{"${one(type.slice(0, -2)).replaceAll("\\", "\\\\")}"}` : one(type);
  return `'${value}'::${type}`;
};

const oneOrder = sql<[account_id: string, order_number: string], { order_status: string }>`
select order_status
from orders
where account_id = $1 and order_number = $2`;
const read = sql<[], { rows: number }>`
select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
from pg_stat_xact_user_tables
where relname = 'orders'`;
/** How many rows a search for one order reads. */
async function rowsOfOneOrder(tx: Tx): Promise<number> {
  await tx.row(oneOrder, [account_id, "0000000000"]);
  return (await tx.row(read, []))!.rows;
}

test("a connection of an empty database plans again while its tables grow", async () => {
  for (let use = 0; use < 64; use++) await planned_empty.row(read, []);
  expect(await planned_empty.of(account_id).transaction(rowsOfOneOrder)).toBe(0);
});

test("a connection that rested plans again when others of its pool have worked", async () => {
  const of_account = resting.of(account_id);
  await of_account.transaction(async () => {
    for (let use = 0; use < 64; use++) await resting.row(read, []);
  });
  const rows = await of_account.transaction(async (tx) => [
    await of_account.transaction(rowsOfOneOrder),
    await rowsOfOneOrder(tx),
  ]);
  expect(rows).toEqual([0, 0]);
});

test("no connection compiles its statements", async () => {
  for (const named_statements of [true, false]) {
    const db = openDb({ connection: { connectionString: app.config.DATABASE_URL }, pool_size: 1, named_statements });
    expect((await db.raw("show jit")).rows).toEqual([{ jit: "off" }]);
    await db.close();
  }
});

test("every statement of an account searches by the same columns in a database that was never analyzed", async () => {
  const { rows } = await app.owner.raw(`
    select c.relname::text as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition`);
  const tenants = new Set(rows.map(({ name }) => String(name)));
  const texts = (await allStatements()).filter(
    (text) =>
      /^(with|select|insert|update|delete)\b/.test(text) &&
      unboundTables(text, tenants).length === 0 &&
      !hasSeveralFilters(text),
  );
  const explainAll = async (mode: Parameters<typeof open>[0]) => {
    const client = await open(mode);
    const all: Searches[] = [];
    for (const [index, text] of texts.entries()) {
      all.push(await explain((await prepare(client, text, `s${index}`)) as Prepared, argumentOf));
    }
    return all;
  };
  await forgetStatistics();
  const young = { generic: await explainAll("force_generic_plan"), custom: await explainAll("force_custom_plan") };
  await app.owner.raw("analyze");
  const settled = await explainAll("force_generic_plan");
  const differing: { plan: string; text: string; lost: string[] }[] = [];
  for (const [plan, all] of Object.entries(young)) {
    for (const [index, text] of texts.entries()) {
      const lost = lostSearches(settled[index]!, all[index]!, FILLED);
      if (lost.length > 0) differing.push({ plan, text, lost });
    }
  }
  expect(texts.length).toBeGreaterThan(120);
  expect(differing.filter(({ text }) => !EXEMPT.some(([part]) => text.includes(part)))).toEqual([]);
});
