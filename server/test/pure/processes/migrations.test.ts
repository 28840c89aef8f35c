import { expect, test } from "vitest";
import { readMigrations } from "../../../src/db/migrate.ts";
import { breakingSteps } from "../../support/sql/breaking-steps.ts";
import { unplacedReferences } from "../../support/sql/unplaced-references.ts";

/** Up to here, an upgrade needed all processes to stop. */
const BEFORE_THE_RULE = 64;

test("a process of the earlier build works on the schema of each new migration", () => {
  const fresh = readMigrations().filter(({ version }) => version > BEFORE_THE_RULE);
  expect(fresh.length).toBeGreaterThan(0);
  expect(fresh.flatMap(({ name, text }) => breakingSteps(text).map((step) => `${name}: ${step}`))).toEqual([]);
});

/** The last migration that no database on several servers applies. */
const BEFORE_SEVERAL_SERVERS = 74;

test("a database on several servers accepts the foreign keys of each new migration", () => {
  const fresh = readMigrations().filter(({ version }) => version > BEFORE_SEVERAL_SERVERS);
  expect(fresh.flatMap(({ text }) => unplacedReferences(text))).toEqual([]);
  const place = (table: string) => ({ gift: "account", orders: "account", account: "every server" })[table];
  const gift = "create table gift (account_id text references account, order_number text";
  expect(unplacedReferences(`${gift});`, place)).toEqual([]);
  expect(unplacedReferences("alter table gift add foreign key (account_id) references orders;", place)).toEqual([]);
  const refused = ["gift refers to orders"];
  expect(unplacedReferences(`${gift}, foreign key (account_id, order_number) references orders);`, place)).toEqual(
    refused,
  );
  expect(
    unplacedReferences(`${gift});\nalter table gift add foreign key (account_id) references orders;`, place),
  ).toEqual(refused);
});

test("the second half of a change names a build that exists before it", () => {
  for (const { version, oldest_build } of readMigrations()) expect(oldest_build).toBeLessThan(version);
});

test.each([
  "drop table old_table",
  "alter table orders drop column reference",
  "alter table orders rename column reference to partner_reference",
  "alter table orders rename to purchases",
  "alter table orders alter column reference type varchar(10)",
  "alter table orders alter column reference set not null",
  "alter table orders alter column sequence drop default",
  "alter table orders add column channel text not null",
  "alter table orders\n  add column first text,\n  add column channel text not null check (channel in ('web', 'api'))",
  "alter table orders add constraint orders_status_check check (order_status in ('new'))",
  "alter table orders drop constraint orders_status_check, add constraint orders_status_check check (order_status = 'a')",
  "alter table orders add foreign key (brand_id) references brand",
  "create unique index orders_reference on orders (account_id, reference)",
  "drop function load_order(text)",
])("a step that the earlier build does not survive is found: %s", (text) => {
  expect(breakingSteps(`-- A migration.\n${text};`)).not.toEqual([]);
});

test.each([
  "create table channel (account_id text not null, name text not null, primary key (account_id, name))",
  "create table channel (name text);\ncreate unique index channel_name on channel (name)",
  "alter table orders add column channel text",
  "alter table orders add column channel text not null default 'api'",
  "alter table orders add column channel text, add constraint channel_check check (channel <> '')",
  "alter table orders add column total bigint not null generated always as (amount_cents * 2) stored",
  "alter table orders drop constraint orders_status_check",
  "-- wider: also the stage of a return\nalter table orders drop constraint a, add constraint a check (stage in ('x', 'y'))",
  "create or replace function f() returns void language plpgsql as $$ begin drop table x; end $$",
  "create index orders_channel on orders (account_id, channel)",
  "-- The next one drops column reference.\ncomment on table orders is 'do not drop table orders'",
  "-- contract: needs 0065\nalter table orders drop column reference",
])("a step that it survives is allowed: %s", (text) => {
  expect(breakingSteps(`${text};`)).toEqual([]);
});
