import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Db, openDb } from "../../../src/db/db.ts";
import { isTenantTable, REFERENCE_TABLES, tablePlaces } from "../../../src/db/operations/table-places.ts";
import { allStatements } from "../../support/sql/all-statements.ts";
import { unboundTables } from "../../support/sql/unbound-tables.ts";
import { createTestDatabase } from "../../support/test-app.ts";

/**
 * The rules that let the tables be spread over several servers by `account_id`. Each exemption is a known gap with its
 * reason; a new one needs a better reason than convenience.
 */
type Exemptions = readonly (readonly [what: string, reason: string])[];

const WEEKS = "adds or drops a week of all accounts; a distributed table does so on each server";
const FUNCTIONS: Exemptions = [
  ["detach_webhook_week", WEEKS],
  ["drop_webhook_week", WEEKS],
  [
    "raise_webhook_feed",
    "a position above the feeds of all accounts; each server has its own transaction ids and so its own base",
  ],
  ["add_usage", "the numbers of several accounts, one statement for each"],
  ["claim_deliveries", "deliveries of several accounts, one statement for each endpoint"],
  ["restart_webhook_feed", "the same for a server that leads again; moves events of all accounts above its new base"],
];

const BATCH = "one batch of many accounts, each row with its account; splits by account";
const UPGRADE = "the start seals what earlier versions left in clear, of all accounts";
const STATEMENTS: Exemptions = [
  ["with written as ( insert into request_log", BATCH],
  ["insert into person_due (account_id, patient_key) select f.account_id", BATCH],
  ["with given as materialized ( select g.* from json_to_recordset($1::json)", BATCH],
  ["update webhook_delivery d set claimed_until = null from unnest", BATCH],
  ["set surname_index = n.surname_index", UPGRADE],
  ["set reference = null", UPGRADE],
  ["set prescriber_name = null", UPGRADE],
  ["set sig_text = null", UPGRADE],
  ["set answer = null", UPGRADE],
  ["set note = null", UPGRADE],
  ["set facts = null", UPGRADE],
  ["set patient_id = null", UPGRADE],
  ["set body = null", UPGRADE],
];

const STAFF = "only the pharmacy's people see it";
const LEDGER = "orders rows; no answer contains it";
const CURSOR = "a partner sees it encrypted, in cursors (ADR 0043)";
/** Numbers from one sequence for all accounts. A partner who saw them could count the others' work. */
const SEQUENCES: Exemptions = [
  ["intake_message.intake_message_id", STAFF],
  ["notification.notification_id", STAFF],
  ["order_history.history_position", LEDGER],
  ["person_due.person_due_id", STAFF],
  ["product_miss.miss_id", STAFF],
  ["review.review_id", STAFF],
  ["stock_count.stock_count_id", STAFF],
  ["stock_entry.stock_entry_id", LEDGER],
  ["webhook_event.event_position", CURSOR],
  ["webhook_event.feed_position", CURSOR],
];

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Db;
let tables: string[];
let tenants: Set<string>;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb({ connection: { connectionString: database.url }, pool_size: 2, named_statements: true });
  const names = await list(`
    select relname::text as name
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`);
  tables = names.map(({ name }) => name!);
  tenants = new Set(tables.filter(isTenantTable));
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const list = async (text: string) => (await db.raw(text)).rows as Record<string, string>[];

/** Every violation is exempt, and every exemption is a violation. */
function expectExempt(
  violations: readonly string[],
  exemptions: Exemptions,
  covers = (a: string, b: string) => a === b,
) {
  expect(violations.filter((one) => !exemptions.some(([what]) => covers(one, what)))).toEqual([]);
  expect(exemptions.filter(([what]) => !violations.some((one) => covers(one, what)))).toEqual([]);
}

test("every table has a place on the servers, and every place a table", () => {
  expect([...tables].sort()).toEqual(Object.keys(tablePlaces).sort());
});

describe("tables that belong to accounts", () => {
  test("have account_id, and reference tables have not, except the account itself and the links of people", async () => {
    const keyed = await list(`
      select distinct c.relname::text as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
    const names = new Set(keyed.map(({ name }) => name));
    expect([...tenants].filter((name) => !names.has(name))).toEqual([]);
    // The links of people are read for many accounts at once.
    expect([...REFERENCE_TABLES].filter((name) => names.has(name))).toEqual(["account", "person_link"]);
  });

  test("refer to rows of the same account, or to reference tables", async () => {
    const keys = await list(`
      select k.conname::text as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
        (select attname::text from pg_attribute where attrelid = k.conrelid and attnum = k.conkey[1]) as first_column,
        (select attname::text from pg_attribute where attrelid = k.confrelid and attnum = k.confkey[1]) as first_target
      from pg_constraint k
      where k.connamespace = current_schema()::regnamespace and k.contype = 'f' and k.conparentid = 0`);
    const crossing = keys.filter(({ child, parent, first_column, first_target }) => {
      if (!tenants.has(parent!)) return tenants.has(child!) && !REFERENCE_TABLES.has(parent!);
      return !tenants.has(child!) || first_column !== "account_id" || first_target !== "account_id";
    });
    expect(keys.length).toBeGreaterThan(20);
    expect(crossing.map(({ name }) => name)).toEqual([]);
  });

  test("have no statement-level triggers", async () => {
    const triggers = await list(`
      select t.tgname::text as name, t.tgrelid::regclass::text as table_name
      from pg_trigger t
      where not t.tgisinternal and t.tgtype & 1 = 0 and t.tgparentid = 0`);
    const own = triggers.filter(({ table_name }) => tenants.has(table_name!));
    expect(own.map(({ name }) => name!)).toEqual([]);
  });

  test("number no row that a partner sees by a sequence of all accounts", async () => {
    const numbered = await list(`
      select c.relname::text as table_name, a.attname::text as column_name, pg_get_expr(d.adbin, d.adrelid) as value
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) ~ 'nextval|feed_position')`);
    const plain = numbered.filter(
      ({ table_name, value }) => tenants.has(table_name!) && !value?.startsWith("scattered_id("),
    );
    expectExempt(
      plain.map(({ table_name, column_name }) => `${table_name}.${column_name}`),
      SEQUENCES,
    );
  });
});

test("every function that reads or writes a tenant table takes the account as its first argument", async () => {
  const functions = await list(`
    select p.proname::text as name, pg_get_functiondef(p.oid) as text, p.proargnames[1] as first_argument
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
      and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)`);
  const touches = new RegExp(`\\b(from|join|into|update|using|table) (${[...tenants].join("|")})\\b`, "i");
  const others = functions.filter(
    ({ text, first_argument }) =>
      (touches.test(text!) || /webhook_(event|attempt)_(?!fits\b)/.test(text!)) &&
      !/^(account_id|account|of_account)$/.test(first_argument ?? ""),
  );
  expectExempt(
    others.map(({ name }) => name!),
    FUNCTIONS,
  );
});

/** Test files that ran before may have added statements that store events without a function. */
const isOurs = (text: string) => !/^insert into webhook_event .* from jsonb_populate_recordset\(/.test(text);

const NAMED = "is about one account, whose id is an argument";
const FROM_ACCOUNT: Exemptions = [["with recursive version as", NAMED]];

test("every account is in each_account, also one that an earlier build inserts", async () => {
  await db.raw("insert into account (account_id, environment, created_at) values ('homelessacct', 'sandbox', now())");
  const missing = await list("select account_id from account except select account_id from each_account");
  expect(missing).toEqual([]);
  expect(await list("select environment from each_account where account_id = 'homelessacct'")).toEqual([
    { environment: "sandbox" },
  ]);
});

test("statements that visit every account start from each_account, whose rows are with the account's other rows", async () => {
  const visits = new RegExp(
    `\\bfrom account a\\b.*\\b(from|join) (${[...tenants].join("|")}) (\\w+) .*\\b\\3\\.account_id = a\\.account_id\\b`,
  );
  const visiting = (await allStatements()).filter((text) => visits.test(text));
  expect((await allStatements()).filter((text) => /\bfrom each_account a\b/.test(text)).length).toBeGreaterThan(20);
  expectExempt(visiting, FROM_ACCOUNT, (text, part) => text.includes(part));
});

test("every statement of an account compares account_id with an argument", async () => {
  const tables = new Set([...tenants, "account", "each_account", "person_link"]);
  const touches = new RegExp(`\\b(from|join|into|update|using) (${[...tenants].join("|")})\\b`);
  // `schema.test.ts` lists the statements that are bound to no account.
  const bound = (await allStatements())
    .filter(isOurs)
    .filter((text) => touches.test(text) && unboundTables(text, tables).length === 0);
  const inserts = /\binsert into \w+/g;
  const ownInserts = /\binsert into \w+(?: as \w+)? \(account_id\b[^)]*\) (?:values \(\$1|select \$1)\b/g;
  const count = (text: string, found: RegExp) => text.match(found)?.length ?? 0;
  const routed = (text: string) =>
    /\baccount_id = (any\()?\$\d/.test(text) ||
    (count(text, inserts) > 0 && count(text, inserts) === count(text, ownInserts));
  expect(bound.length).toBeGreaterThan(150);
  expectExempt(
    bound.filter((text) => !routed(text)),
    STATEMENTS,
    (text, part) => text.includes(part),
  );
});

/** Filled by a sequence or by the time, so Citus computes them on the coordinator. */
const COMPUTED: ReadonlySet<string> = new Set(
  [...SEQUENCES.map(([column]) => column), "webhook_delivery.queued_at"].map((column) => column.split(".")[0]!),
);

test("an insert of an account has values, reads a table of the account, or returns something", async () => {
  const insert = new RegExp(`\\binsert into (${[...tenants].join("|")})(?: as \\w+)? \\([^)]*\\) select\\b`, "g");
  const own = new RegExp(
    `\\b(?:from|join) (${[...tenants].join("|")}) (\\w+)\\b.* \\2\\.account_id = (any\\()?\\(?\\$1\\b`,
  );
  const wrong = (await allStatements()).flatMap((text) =>
    [...text.matchAll(insert)]
      .map(({ index, 1: table }) => ({ table: table!, rest: partFrom(text, index) }))
      .filter(({ rest }) => !/\b(returning|on conflict)\b/.test(rest))
      .filter(({ table, rest }) => COMPUTED.has(table) || !own.test(rest))
      .map(({ rest }) => rest.slice(0, 120)),
  );
  expect(wrong).toEqual([]);
});

/** From a position to the end of the pair of parentheses around it, or of the text. */
function partFrom(text: string, start: number): string {
  let depth = 0;
  for (let end = start; end < text.length; end++) {
    if (text[end] === "(") depth += 1;
    if (text[end] === ")") depth -= 1;
    if (depth < 0) return text.slice(start, end);
  }
  return text.slice(start);
}
