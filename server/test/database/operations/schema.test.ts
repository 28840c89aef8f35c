import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { eventTypeNames, usualEventTypes } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RACED_CONSTRAINTS } from "../../../src/db/conflict.ts";
import { CHANNEL, type Db, openDb } from "../../../src/db/db.ts";
import { readFunctions, type StoredFunction } from "../../../src/db/functions.ts";
import { migrate, migrationState, readMigrations, WrongDatabase } from "../../../src/db/migrate.ts";
import { isTenantTable } from "../../../src/db/operations/table-places.ts";
import { calls } from "../../../src/db/schema-rows.ts";
import { allStatements } from "../../support/sql/all-statements.ts";
import { dumpRows } from "../../support/sql/dump-rows.ts";
import { dumpSchema } from "../../support/sql/dump-schema.ts";
import { functionStatements } from "../../support/sql/function-statements.ts";
import { unboundTables } from "../../support/sql/unbound-tables.ts";
import { createTestDatabase } from "../../support/test-app.ts";
import { TEST_ROLES } from "../../support/test-cluster.ts";
import { until } from "../../support/tools/until.ts";

const JOB = "a job of the service finds the accounts, or rows with their account, that have work";
const DASHBOARD = "the pharmacy's people see all partners' work; the route asks for their role";
const ROUTING = "the account of an incoming message is what it looks for, by the receiver's id";
const ROUTING_PARCEL = "the account of a carrier's news is what it looks for, by the tracking number";
const ROUTING_MAIL = "the account of an email that came back is what it looks for, by the message's id";
const PERSON =
  "the pharmacy checks one person's orders at all partners of the environment, for safety; no partner sees it";
const OWN = "a staff member's own notifications, about orders of all partners";
const UPGRADE = "the start seals the rows that earlier versions left in clear, of all accounts";
const EACH_OF_SEVERAL = "a function for several accounts, which runs it for each of them";
const OPERATOR = "the operator's account of the environment keeps the messages of all its partners";
/** The statements that are not bound to one account, each by a part of its text, with the reason. */
const ACROSS_ACCOUNTS: readonly (readonly [part: string, reason: string])[] = [
  ["select account_id, id, name from brand where retired_at is null", DASHBOARD],
  ["from credential where revoked_at is null group by account_id", DASHBOARD],
  ["select n.notification_id, n.at, n.kind, n.account_id", OWN],
  ["select n.person_id, count(*)::integer as count from notification n", OWN],
  ["update notification n set read_at = $4 where n.person_id = $1", OWN],
  ["as oldest_at from webhook_endpoint p join account a", JOB],
  ["as pharmacy, count(*) filter (where not", DASHBOARD],
  ["select unnest(o.exception_ids) as exception_id, o.stage_since from orders o", DASHBOARD],
  ["select width_bucket(o.stage_since, $2::timestamptz[]) as place", DASHBOARD],
  ["a.environment, o.order_number, o.order_status, o.stage, o.reference, o.reference_sealed", DASHBOARD],
  ["null as order_number, null as order_status, null as stage, null as reference,", DASHBOARD],
  ["and exists ( select from shipment s where s.account_id = a.account_id and s.next_scan_at is not null", JOB],
  ["and exists ( select from parcel_label l where l.account_id = a.account_id and l.state in", JOB],
  ["and exists ( select from postage p where p.account_id = a.account_id and p.check_at", JOB],
  ["join shipment s on s.account_id = a.account_id and s.tracking_no = $1", ROUTING_PARCEL],
  ["join patient_message m on m.account_id = a.account_id and m.message_id = $1", ROUTING_MAIL],
  ["and exists ( select from refill_schedule s where s.account_id = a.account_id and s.due_at <=", JOB],
  ["where a.workflow = 'automatic' and ($1::text is null or a.account_id = $1)", JOB],
  [
    "and exists ( select from prescription r where r.account_id = a.account_id and r.active and r.expiry_notice_at",
    JOB,
  ],
  ["from each_account a where a.ncpdp_id = $2::text and a.partner_id is not null", ROUTING],
  ["from each_account a where a.ncpdp_id = $2 and a.partner_id is not null", ROUTING],
  ["from account a join account o on o.partner_id is null and o.environment = a.environment join review v", OPERATOR],
  ["select r.sender_message_id from each_account a join prescription r", ROUTING],
  ["e.name as resolved_by_name, m.receiver from review v", DASHBOARD],
  ["m.warnings, m.body_sealed from intake_message m where m.intake_message_id", OPERATOR],
  ["e.email as resolved_by_email from review v", DASHBOARD],
  ["select account_id, kind, value from routing_rule", "the operator lists the rules of all partners"],
  ["exists ( select from prescriber_message m where m.account_id = a.account_id and m.due_at is not null)", JOB],
  ["exists ( select from prescriber_route t where t.account_id = a.account_id and t.sends_fills)", JOB],
  ["exists ( select from patient p where p.account_id = a.account_id and p.message_channels <> '{}')", JOB],
  ["sends_cancels from prescriber_route order by account_id", "the operator lists the routes of all partners"],
  ["from each_account e", DASHBOARD],
  ["select a.environment, count(*)::integer as count from review v", DASHBOARD],
  [
    "select w.what, coalesce(sum(l.waiting), 0)::integer as waiting",
    "numbers for the metrics, of all accounts together",
  ],
  ["and (exists ( select from orders o where o.account_id = a.account_id and o.payment_status", JOB],
  ["from each_account a join ledger l on l.account_id = a.account_id where ($1::text is null", JOB],
  ["and exists ( select from card_authorization c where c.account_id = a.account_id and c.next_check_at", JOB],
  ["select a.account_id, p.order_number, p.problem from each_account a join (", DASHBOARD],
  [
    "select e.account_id, e.order_number from order_exception e join account a on a.account_id = e.account_id where e.basis = 'unavailable'",
    JOB,
  ],
  ["from patient p join account a on a.account_id = p.account_id where p.recheck_due", JOB],
  ["select distinct i.account_id, i.order_number from order_item i join account a", JOB],
  ["s.digest_sealed from webhook_endpoint p join account a on a.account_id = p.account_id", JOB],
  ["and exists ( select from order_item i where i.account_id = a.account_id and i.pending", JOB],
  ["select m.body_hash, case when m.format = 'simulation' then m.answer end as answer,", OPERATOR],
  ["with linked as ( select distinct other.account_id, other.patient_key from person_link own", PERSON],
  ["select distinct i.account_id, i.order_number from person_link own", PERSON],
  ["from person_due d join account a on a.account_id = d.account_id", JOB],
  ["delete from person_due where person_due_id = any($1)", JOB],
  ["from patient p join account a on a.account_id = p.account_id where p.person_keys is null", JOB],
  ["from patient p join account a on a.account_id = p.account_id where p.surname_index is null", JOB],
  ["where reference is not null ", UPGRADE],
  ["where prescriber_name is not null or prescriber_phone is not null or prescriber_fax is not null", UPGRADE],
  ["where sig_text is not null ", UPGRADE],
  ["from account_usage u where ($4::timestamptz is null", JOB],
  ["from account_home h where h.account_id = ($1::text[])[$3::integer]", EACH_OF_SEVERAL],
  ["from webhook_delivery w where w.account_id = ($1::text[])[$2::integer]", EACH_OF_SEVERAL],
  ["left join account_usage u on u.account_id = a.account_id and u.quota = 'stored_bytes'", JOB],
  ["where answer is not null ", UPGRADE],
  ["where note is not null ", UPGRADE],
  ["where patient_id is not null ", UPGRADE],
  ["where facts is not null ", UPGRADE],
  ["where body is not null ", UPGRADE],
];
const LANDED = new URL("../../../migrations/checksums.txt", import.meta.url);
/** Each function with its revision, its checksum, and a hash of its arguments and results. */
const LANDED_FUNCTIONS = new URL("../../../functions/revisions.txt", import.meta.url);
/** From the name to the language. */
const signatureOf = (text: string) =>
  (/create or replace function ([\s\S]*?)\blanguage\b/.exec(text)?.[1] ?? "").replaceAll(/\s+/g, " ");
const CHECKED_IN = new URL("../../../migrations/schema.txt", import.meta.url);
const ROWS = new URL("../../../src/db/schema-rows.ts", import.meta.url);

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb({ connection: { connectionString: database.url }, pool_size: 4, named_statements: true });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

describe("the schema", () => {
  test("equals the checked-in one (npm run schema writes it)", async () => {
    const made = await dumpSchema(db);
    if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(CHECKED_IN, made);
    expect(made).toBe(readFileSync(CHECKED_IN, "utf8"));
  });

  test("has the checked-in row types (npm run schema writes them)", async () => {
    const made = await dumpRows(db);
    if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(ROWS, made);
    expect(made).toBe(readFileSync(ROWS, "utf8"));
  });

  test("a landed migration keeps its text, because a database refuses one that changed (npm run schema adds new ones)", () => {
    const landed = readFileSync(LANDED, "utf8");
    const known = new Set(landed.split("\n").map((line) => line.split(" ")[0]));
    const lines = readMigrations().map(({ version, name, checksum }) => `${version}_${name} ${checksum}\n`);
    const added = lines.filter((line) => !known.has(line.split(" ")[0]));
    if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(LANDED, landed + added.join(""));
    expect(lines.join("")).toBe(readFileSync(LANDED, "utf8"));
  });

  test("a landed function keeps its arguments, and a changed body has a higher revision (npm run schema adds new ones)", () => {
    const lineOf = ({ name, revision, text, checksum }: StoredFunction) =>
      `${name} ${revision} ${checksum} ${hash("sha256", signatureOf(text)).slice(0, 16)}`;
    const made = readFunctions().map(lineOf);
    const landed = readFileSync(LANDED_FUNCTIONS, "utf8").trim().split("\n");
    const faults = made.flatMap((line) => {
      const [name, revision, checksum, signature] = line.split(" ");
      const [, known_revision, known_checksum, known_signature] =
        landed.find((one) => one.startsWith(`${name} `))?.split(" ") ?? [];
      if (known_revision === undefined) return [];
      if (signature !== known_signature) return [`${name} has other arguments or results: give it a new name`];
      const higher = Number(revision) > Number(known_revision);
      return checksum === known_checksum || higher ? [] : [`${name} changed: count up its revision`];
    });
    expect(faults).toEqual([]);
    if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(LANDED_FUNCTIONS, `${made.join("\n")}\n`);
    expect(made).toEqual(readFileSync(LANDED_FUNCTIONS, "utf8").trim().split("\n"));
  });

  test("starts every tenant table's key, and every unique index, with account_id", async () => {
    const { rows } = await db.raw(`
      select i.indrelid::regclass::text as table_name, i.indexrelid::regclass::text as index_name,
        (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0]) as leading
      from pg_index i
      join pg_class c on c.oid = i.indrelid
      where c.relnamespace = current_schema()::regnamespace and i.indisunique`);
    const tenants = rows.filter(({ table_name }) => isTenantTable(String(table_name)));
    expect(tenants.length).toBeGreaterThan(8);
    for (const { index_name, leading } of tenants)
      expect(`${index_name}: ${leading}`).toBe(`${index_name}: account_id`);
  });

  test("gives every tenant table a primary key", async () => {
    const { rows } = await db.raw(`
      select c.relname as table_name
      from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`);
    expect(rows).toEqual([]);
  });

  test("never lets the planner skip the guard of the save statements, or run it early", async () => {
    const { rows } = await db.raw("select provolatile as volatility from pg_proc where proname = 'conflict_unless'");
    expect(rows).toEqual([{ volatility: "v" }]);
  });

  test("has every constraint that counts as a race, as the kind of violation it is", async () => {
    const { rows } = await db.raw(`
      select conname as name, '23514' as violation
      from pg_constraint
      where connamespace = current_schema()::regnamespace and contype = 'c'
      union all
      select c.relname, '23505'
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = current_schema()::regnamespace and i.indisunique`);
    const found = new Map(rows.map(({ name, violation }) => [name, violation]));
    const named = Object.keys(RACED_CONSTRAINTS);
    expect(Object.fromEntries(named.map((name) => [name, found.get(name)]))).toEqual(RACED_CONSTRAINTS);
  });
});

/** These work for several accounts, one after another. */
const SEVERAL = new Set(["add_usage", "claim_deliveries"]);

describe("the functions", () => {
  test("take the account first, and write rows of that account alone", () => {
    // It reads no table of an account.
    const { require_index_key: _, ...ofAccounts } = calls;
    for (const [name, given] of Object.entries(ofAccounts))
      expect([name, Object.keys(given)[0]]).toEqual([name, SEVERAL.has(name) ? "account_ids" : "account_id"]);
    const inserts = functionStatements().filter(
      (text) => text.startsWith("insert into") && !text.startsWith("insert into account_usage"),
    );
    expect(inserts.length).toBeGreaterThan(7);
    for (const text of inserts) {
      const [, columns, rest] = /^insert into \w+(?: as \w+)? \(([^)]*)\) (.*)$/.exec(text)!;
      const place = columns!.split(", ").indexOf("account_id");
      const values = rest!
        .replace(/^(values \(|select )/, "")
        .replaceAll(/\([^()]*\)/g, "(…)")
        .split(", ");
      const [, alias] = /^(\w+)\.account_id$/.exec(values[place] ?? "") ?? [];
      const is_own =
        alias === undefined ? values[place] === "$1::text" : text.includes(`${alias}.account_id = $1::text`);
      expect([text, is_own]).toEqual([text, true]);
    }
  });

  test("run with the rights of the caller, and no role but ours can call them", async () => {
    const { rows } = await db.raw(
      `select p.proname::text as name, p.prosecdef as definer, has_function_privilege('public', p.oid, 'EXECUTE') as public
      from pg_proc p
      where p.pronamespace = current_schema()::regnamespace and p.proname = any($1)
      order by 1`,
      [Object.keys(calls)],
    );
    expect(rows).toEqual(Object.keys(calls).map((name) => ({ name, definer: false, public: false })));
  });

  test("notify on the channel that the processes listen to", () => {
    const channels = readFunctions().flatMap(({ text }) => [...text.matchAll(/pg_notify\('(\w+)'/g)]);
    expect(new Set(channels.map(([, channel]) => channel))).toEqual(new Set([CHANNEL]));
  });

  test("are replaced when their file changes, but never by an earlier revision", async () => {
    const own = await createTestDatabase();
    const one = openDb({ connection: { connectionString: own.url }, pool_size: 2, named_statements: true });
    const [{ name, revision, checksum }] = readFunctions() as [StoredFunction];
    const version = async (text: string) => {
      await one.raw(`comment on function ${name} is '${text}'`);
      const { pending } = await migrationState(one);
      await migrate(one);
      const { rows } = await one.raw("select obj_description(oid, 'pg_proc') as text from pg_proc where proname = $1", [
        name,
      ]);
      return { pending, text: rows[0]!["text"] };
    };
    const ours = `revision ${revision}, ${checksum}`;
    expect(await version(ours)).toEqual({ pending: [], text: ours });
    expect(await version(`revision ${revision}, other`)).toEqual({ pending: [`function ${name}`], text: ours });
    expect(await version("revision 0, other")).toEqual({ pending: [`function ${name}`], text: ours });
    const newer = `revision ${revision + 1}, other`;
    expect(await version(newer)).toEqual({ pending: [], text: newer });
    await one.raw(`drop function ${name}`);
    expect((await migrationState(one)).pending).toEqual([`function ${name}`]);
    await migrate(one);
    expect((await migrationState(one)).pending).toEqual([]);
    await one.close();
    await own.drop();
  });
});

describe("every statement on a tenant table", () => {
  let texts: string[];
  let tenants: string[];
  beforeAll(async () => {
    texts = await allStatements();
    const { rows } = await db.raw(`
      select relname as name
      from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`);
    tenants = rows.map(({ name }) => String(name)).filter(isTenantTable);
    expect(texts.length).toBeGreaterThan(200);
  });

  test("is bound to one account, table by table, or is listed with a reason", () => {
    const touches = new RegExp(`\\b(from|join|into|update|using) (${tenants.join("|")})\\b`);
    // A loop over all accounts binds nothing either, and a link of one person leads to another account.
    const tables = new Set([...tenants, "account", "each_account", "person_link"]);
    const unbound = texts.filter((text) => touches.test(text) && unboundTables(text, tables).length > 0);
    const unlisted = unbound.filter((text) => !ACROSS_ACCOUNTS.some(([part]) => text.includes(part)));
    expect(unlisted.map((text) => [text, unboundTables(text, tables)])).toEqual([]);
    const idle = ACROSS_ACCOUNTS.filter(([part]) => !unbound.some((text) => text.includes(part)));
    expect(idle).toEqual([]);
  });

  test.each([
    "select o.order_number from orders o where o.order_number = $1",
    "select o.order_number from orders o where o.account_id = $1 or o.order_number = $2",
    "select o.order_number from orders o where ($1::text is null or o.account_id = $1)",
    "select 1 from orders o join order_item i on i.order_number = o.order_number where o.account_id = $1",
    "select 1 from orders o join order_item i on i.account_id = o.account_id where o.order_number = $1",
    "with x as (select i.sku from order_item i) select x.sku from x, orders o where o.account_id = $1",
    "insert into orders (order_number) values ($1)",
    "delete from orders where order_number = $1",
  ])("that is not bound is detected: %s", (text) => {
    expect(unboundTables(text, new Set(tenants))).toHaveLength(
      text.includes("join order_item i on i.account_id") ? 2 : 1,
    );
  });
});

test("the database and the contract agree on which events are opt-in", async () => {
  const { rows } = await db.raw(
    "select name, webhook_subscribes('{}', name) as usual, webhook_subscribes(array[name], name) as named, " +
      "webhook_subscribes(array['another'], name) as other from unnest($1::text[]) as name",
    [eventTypeNames],
  );
  expect(rows).toEqual(
    eventTypeNames.map((name) => ({ name, usual: usualEventTypes.includes(name), named: true, other: false })),
  );
});

describe("migrations", () => {
  test("run once, in one process at a time, and do nothing when repeated", async () => {
    const empty = await createTestDatabase("");
    const open = () => openDb({ connection: { connectionString: empty.url }, pool_size: 2, named_statements: true });
    const processes = [open(), open(), open()];
    expect(await migrationState(processes[0]!)).toMatchObject({ applied: 0 });
    const applied = await Promise.all(processes.map((one) => migrate(one)));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(applied.flat()).toHaveLength(readMigrations().length);
    expect(await migrationState(processes[0]!)).toEqual({ applied: readMigrations().length, pending: [] });
    await Promise.all(processes.map((one) => one.close()));
    await empty.drop();
  });

  test("leave a database of a newer build alone, and reject one that this build cannot serve anymore", async () => {
    const own = await createTestDatabase();
    const one = openDb({ connection: { connectionString: own.url }, pool_size: 2, named_statements: true });
    const newest = readMigrations().at(-1)!.version;
    const future = (version: number, oldest_build: number) =>
      one.raw("insert into schema_migration (version, name, checksum, oldest_build) values ($1, 'future', 'x', $2)", [
        version,
        oldest_build,
      ]);
    const revision = async () =>
      (await one.raw("select obj_description('save_change'::regproc, 'pg_proc') as version")).rows[0]?.["version"];
    await future(newest + 1, 0);
    await future(newest + 2, newest);
    await one.raw("comment on function save_change is 'revision 0, another text'");
    const seen: number[] = [];
    expect(await migrate(one, { roles: TEST_ROLES, onNewer: (version) => seen.push(version) })).toEqual([]);
    expect(seen).toEqual([newest + 2]);
    expect(await revision()).toBe("revision 0, another text");
    expect(await migrationState(one)).toMatchObject({ pending: [] });
    await future(newest + 3, newest + 1);
    await expect(migrate(one)).rejects.toThrow(/cannot work with/);
    await one.close();
    await own.drop();
  });

  test("wait for a table that is in use without keeping its readers waiting", async () => {
    const own = await createTestDatabase("");
    const [one, other] = [1, 2].map(() =>
      openDb({ connection: { connectionString: own.url }, pool_size: 2, named_statements: true }),
    ) as [Db, Db];
    const { version, name } = readMigrations().find((migration) => migration.name === "oldest_build")!;
    await migrate(one, { upTo: version - 1 });
    let migrating: Promise<string[]> | undefined;
    await other.transaction(async (tx) => {
      await tx.raw("lock table schema_migration in access share mode");
      migrating = migrate(one, { lock_within_ms: 50 });
      const waiting = `
        select count(*)::integer as count
        from pg_locks l
        join pg_database d on d.oid = l.database
        where not l.granted and l.relation = 'schema_migration'::regclass and d.datname = current_database()`;
      await until(async () => (await other.raw(waiting)).rows[0]!["count"] === 1, "it waits");
      await until(async () => (await other.raw(waiting)).rows[0]!["count"] === 0, "it gave up for now");
    });
    expect((await migrating)!.map((one) => one.replace(/^\d+_/, ""))).toContain(name);
    await one.close();
    await other.close();
    await own.drop();
  });

  test("reject a database with an unknown migration, and a file changed after it was applied", async () => {
    const own = await createTestDatabase();
    const one = openDb({ connection: { connectionString: own.url }, pool_size: 2, named_statements: true });
    // This text of migration 44 was released too; only its comments differ.
    const released = "a3f4d1f05ef57c4fff868ac9c631bc65294e20c987ff0b41a9f05b0f99dbba3e";
    await one.raw("update schema_migration set checksum = $1 where version = 44", [released]);
    expect(await migrate(one)).toEqual([]);
    await one.raw("update schema_migration set checksum = 'other' where version = 1");
    await expect(migrate(one)).rejects.toThrow(/changed after it was applied/);
    await one.raw(
      "insert into schema_migration (version, name, checksum, oldest_build) values (9999, 'future', 'x', 9999)",
    );
    await one.raw("delete from schema_migration where version = 1");
    await expect(migrate(one)).rejects.toThrow(WrongDatabase);
    await one.close();
    await own.drop();
  });

  test("are numbered without gaps", () => {
    expect(readMigrations().map(({ version }) => version)).toEqual(readMigrations().map((_, index) => index + 1));
  });
});
