import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillOrderBook } from "../../../../bench/order-book.ts";
import { ACCOUNT_SETTING } from "../../../src/db/db.ts";
import { products } from "../../../src/seed/cast.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { allStatements } from "../../support/sql/all-statements.ts";
import { lostSearches, type Searches, searchesOf, tableOf } from "../../support/sql/searches.ts";
import { unboundTables } from "../../support/sql/unbound-tables.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

/** Enough that an index matters for the tables that grow. */
const ORDERS = 3_000;
/** On each page, as far as the planner knows. */
const ROWS = 20_000;

/** Statements, each by a part of its text, that lose a column of a search to the policies, and why that is fine. */
const EXEMPT: readonly (readonly [part: string, reason: string])[] = [
  ["null as order_number, null as order_status, null as stage", "the dashboard works as the jobs role"],
  ["select p.sku, p.name, p.drug_schedule from product p", "a report of the dashboard, which works as the jobs role"],
  ["select r.sender, r.active, r.drug_schedule, r.prohibits_renewal", "searches the items by their patient instead"],
  ["with taken as ( select i.* from orders o join order_item i", "searches the items by their patient instead"],
];

let app: TestApp;
let owner: pg.Client;
let service: pg.Client;
let tenants: Set<string>;
let filled: Set<string>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  for (const partner of [0, 1]) {
    const { account_id } = app.demo.partners[partner]!;
    const { order_number: sample, items } = await placed(app, (await newOrder(app, { partner })).body, { partner });
    const product = products.find(({ sku }) => sku === items[0]!.sku)!;
    await fillOrderBook({ ...app.deps, db: app.owner }, account_id, { sample, product, count: ORDERS });
  }
  // A held order, so that the table of exceptions has rows too.
  const { body } = await newOrder(app);
  const held = await placed(app, { ...body, patient: { ...body.patient, dob: "1900-01-01" } });
  expect(held.order_status).toBe("On Hold");
  await asIfLarge();
  const open = async (connectionString: string) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    // As the service's connections plan after a few calls, and as if the small tables were large too.
    await client.query("set plan_cache_mode = force_generic_plan");
    await client.query("set enable_seqscan = off");
    await client.query("select set_config($1, $2, false)", [ACCOUNT_SETTING, app.demo.partners[0]!.account_id]);
    return client;
  };
  owner = await open(app.config.DATABASE_OWNER_URL);
  service = await open(app.config.DATABASE_URL);
  const { rows } = await owner.query(`
    select c.relname::text as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition`);
  tenants = new Set(rows.map(({ name }) => name));
  const large = await owner.query(`
    select c.relname::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.reltuples = ${ROWS}`);
  filled = new Set(large.rows.map(({ name }) => tableOf(name)));
});
afterAll(async () => {
  await owner?.end();
  await service?.end();
  await app.stop();
});

/** As if each table that has a row had very many, and nothing were known of their values. */
async function asIfLarge(): Promise<void> {
  const { rows } = await app.owner.raw(`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`);
  for (const { name } of rows) await app.owner.raw(`alter table ${name} set (autovacuum_enabled = false)`);
  await app.owner.raw("delete from pg_statistic");
  await app.owner.raw(`
    update pg_class set relpages = 1, reltuples = ${ROWS}
    where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0`);
}

test("every statement searches its tables by the same columns with the row-level policies as without", async () => {
  // A statement that is bound to no account runs as the jobs role, without these policies.
  const texts = (await allStatements()).filter(
    (text) => /^(with|select|insert|update|delete)\b/.test(text) && unboundTables(text, tenants).length === 0,
  );
  const differing: { text: string; lost: string[] }[] = [];
  let compared = 0;
  for (const text of texts) {
    const secured = await searchesOf(service, text);
    // Only jobs run it.
    if (secured === "not allowed") continue;
    compared++;
    const missing = lostSearches((await searchesOf(owner, text)) as Searches, secured, filled);
    if (missing.length > 0) differing.push({ text, lost: missing });
  }
  expect(compared).toBeGreaterThan(120);
  expect(differing.filter(({ text }) => !EXEMPT.some(([part]) => text.includes(part)))).toEqual([]);
  expect(EXEMPT.filter(([part]) => !differing.some(({ text }) => text.includes(part)))).toEqual([]);
});
