import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RACED_CONSTRAINTS } from "../../../src/db/conflict.ts";
import { type Db, openDb } from "../../../src/db/db.ts";
import { migrate, migrationState, readMigrations, WrongDatabase } from "../../../src/db/migrate.ts";
import { createTestDatabase } from "../../support/test-app.ts";
import { dumpRows } from "../../support/tools/dump-rows.ts";
import { dumpSchema } from "../../support/tools/dump-schema.ts";

/** Tables that lead to an account, or belong to the pharmacy itself. Every other one is a tenant's. */
const DIRECTORY = new Set([
  "account",
  "audit_entry",
  "data_key",
  "index_key",
  "licence",
  "master_key",
  "partner",
  "person",
  "queue_target",
  "safety_import",
  "schema_migration",
  "server_process",
  "session",
  "webhook_feed",
]);
const CHECKED_IN = new URL("../../../migrations/schema.txt", import.meta.url);
const ROWS = new URL("../../../src/db/schema-rows.ts", import.meta.url);
const FOLDER = new URL("../../../src/db/", import.meta.url);

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
  test("is the checked-in one (npm run schema writes it)", async () => {
    const made = await dumpSchema(db);
    if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(CHECKED_IN, made);
    expect(made).toBe(readFileSync(CHECKED_IN, "utf8"));
  });

  test("has the checked-in types of rows (npm run schema writes them)", async () => {
    const made = await dumpRows(db);
    if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(ROWS, made);
    expect(made).toBe(readFileSync(ROWS, "utf8"));
  });

  test("leads every tenant table's key, and every unique index, with account_id", async () => {
    const { rows } = await db.raw(`
      select i.indrelid::regclass::text as table_name, i.indexrelid::regclass::text as index_name,
        (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0]) as leading
      from pg_index i
      join pg_class c on c.oid = i.indrelid
      where c.relnamespace = current_schema()::regnamespace and i.indisunique`);
    const tenants = rows.filter(({ table_name }) => !DIRECTORY.has(String(table_name)));
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

  test("never lets the planner skip the guard of the save statements, or call it early", async () => {
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

test("every statement on a tenant table names account_id, so that none can cross accounts", async () => {
  const { rows } = await db.raw(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')",
  );
  const tenants = rows.map(({ name }) => String(name)).filter((name) => !DIRECTORY.has(name));
  const statements = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [...readFileSync(new URL(name, FOLDER), "utf8").matchAll(/sql(?:<[^`]*>)?`([^`]+)`/g)])
    .map(([, text]) => text as string);
  expect(statements.length).toBeGreaterThan(25);
  // Leases of a process that ended are swept by process, across accounts: they hold no data.
  const sweeps = statements.filter((text) => /delete from rate_lease/.test(text));
  expect(sweeps).toHaveLength(1);
  for (const text of statements) {
    const touches = tenants.filter((table) => new RegExp(`\\b(from|join|into|update)\\s+${table}\\b`).test(text));
    if (touches.length > 0 && !sweeps.includes(text)) expect(text).toContain("account_id");
  }
});

describe("migrations", () => {
  test("run once, one process at a time, and again do nothing", async () => {
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

  test("refuse a database that a newer build migrated, and a file changed after it was applied", async () => {
    const own = await createTestDatabase();
    const one = openDb({ connection: { connectionString: own.url }, pool_size: 2, named_statements: true });
    await one.raw("update schema_migration set checksum = 'other' where version = 1");
    await expect(migrate(one)).rejects.toThrow(/changed after it was applied/);
    await one.raw("insert into schema_migration (version, name, checksum) values (9999, 'future', 'x')");
    await one.raw("delete from schema_migration where version = 1");
    await expect(migrate(one)).rejects.toThrow(WrongDatabase);
    await one.close();
    await own.drop();
  });

  test("are numbered without gaps", () => {
    expect(readMigrations().map(({ version }) => version)).toEqual(readMigrations().map((_, index) => index + 1));
  });
});
