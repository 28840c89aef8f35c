import { createHash } from "node:crypto";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostOf } from "../../../src/db/connection.ts";
import { type Db, openDb, type Statement } from "../../../src/db/db.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { loadRoleFacts } from "../../../src/db/operations/server-facts.ts";
import { appendOnly, roleChanges } from "../../../src/db/roles.ts";
import { createTestDatabase } from "../../support/test-app.ts";
import { DEMO_TEMPLATE, TEST_ROLES, urlAs } from "../../support/test-cluster.ts";

const PERMISSION_DENIED = "42501";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Db;
let service: Db;
let jobs: Db;
let account_id: string;
let other_id: string;
const open = (url: string, named_statements = true) =>
  openDb({ connection: { connectionString: url }, pool_size: 1, named_statements });

beforeAll(async () => {
  database = await createTestDatabase(DEMO_TEMPLATE);
  owner = open(database.url);
  service = open(urlAs("service", database.url));
  jobs = open(urlAs("jobs", database.url));
  const { rows } = await owner.raw("select account_id from account where partner_id is not null order by account_id");
  [account_id, other_id] = rows.map((row) => String(row["account_id"])) as [string, string];
});
afterAll(async () => {
  for (const db of [owner, service, jobs]) await db.close();
  await database.drop();
});

/** Not the one of db.ts, which keeps a list of the service's statements: the test of the schema reads it. */
const sql = <Params extends readonly unknown[], Row = never>([text]: TemplateStringsArray): Statement<Params, Row> => ({
  name: createHash("sha256").update(text!).digest("hex").slice(0, 24),
  text: text!,
});

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "accepted",
    (error: { code?: string }) => error.code,
  );

describe("the roles that serve requests", () => {
  test("are no superusers, own nothing, and obey the row-level policies", async () => {
    for (const [db, role] of [
      [service, TEST_ROLES.service],
      [jobs, TEST_ROLES.jobs],
    ] as const) {
      expect(await loadRoleFacts(db)).toEqual({ role, superuser: false, bypasses: false, owner: false });
      expect(await refusal(db.raw("create table mine (id integer)"))).toBe(PERMISSION_DENIED);
      expect(await refusal(db.raw("alter table orders disable row level security"))).toBe(PERMISSION_DENIED);
      expect(await refusal(db.raw("truncate orders cascade"))).toBe(PERMISSION_DENIED);
      expect(await refusal(db.raw("delete from schema_migration"))).toBe(PERMISSION_DENIED);
    }
    expect(await refusal(service.raw(`set role ${TEST_ROLES.jobs}`))).toBe(PERMISSION_DENIED);
  });

  test("have their rights already, so that another start changes and locks nothing", async () => {
    expect(await roleChanges(owner, TEST_ROLES)).toEqual([]);
  });

  test("get them back when a table lost or gained some", async () => {
    await owner.raw(`grant delete on order_history to ${TEST_ROLES.jobs}`);
    await owner.raw(`revoke insert on orders from ${TEST_ROLES.service}`);
    await owner.raw("alter table patient disable row level security");
    await owner.raw("drop policy of_account on prescription");
    expect(await roleChanges(owner, TEST_ROLES)).not.toEqual([]);
    await migrate(owner, { roles: TEST_ROLES });
    expect(await roleChanges(owner, TEST_ROLES)).toEqual([]);
    expect(await refusal(jobs.raw("delete from order_history"))).toBe(PERMISSION_DENIED);
  });
});

describe("append-only tables", () => {
  test.each(Object.entries(appendOnly))("%s keeps its rows", async (table, excepted) => {
    const { rows } = await owner.raw(
      `select attname::text as column from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
      [table],
    );
    expect(rows.length).toBeGreaterThan(0);
    const tenant = rows.some(({ column }) => column === "account_id");
    for (const [role, db] of [
      ["service", service.of(account_id)],
      ["jobs", jobs],
    ] as const) {
      await db.transaction(async (tx) => {
        const attempt = async (text: string) => {
          await tx.raw("savepoint before");
          const code = await refusal(tx.raw(text));
          await tx.raw("rollback to savepoint before");
          return code;
        };
        expect(await attempt(`delete from ${table}`)).toBe(PERMISSION_DENIED);
        for (const { column } of rows) {
          const allowed = excepted.includes(String(column)) && (tenant || role === "jobs");
          const code = await attempt(`update ${table} set "${column}" = "${column}" where false`);
          expect([column, code]).toEqual([column, allowed ? "accepted" : PERMISSION_DENIED]);
        }
      });
    }
  });
});

describe("row-level security", () => {
  const products = sql<[], { account_id: string }>`select distinct account_id from product`;

  test("shows a statement that forgets the account only the account of the request", async () => {
    expect(await jobs.rows(products, [])).not.toHaveLength(1);
    for (const named of [true, false]) {
      const db = open(urlAs("service", database.url), named);
      expect(await db.of(account_id).rows(products, [])).toEqual([{ account_id }]);
      expect(await db.of(other_id).transaction((tx) => tx.rows(products, []))).toEqual([{ account_id: other_id }]);
      // The same connection remembers no account.
      expect(await db.rows(products, [])).toEqual([]);
      expect(await db.transaction((tx) => tx.rows(products, []))).toEqual([]);
      await db.close();
    }
  });

  test("covers every table with an account, and shows none of them without one", async () => {
    const { rows } = await owner.raw(`
      select c.relname::text as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      order by 1`);
    const names = rows.map(({ name }) => String(name));
    expect(names.length).toBeGreaterThan(25);
    const links = new Set(["person_link", "person_due"]);
    for (const name of names) {
      if (links.has(name)) {
        expect(await refusal(service.raw(`select from ${name}`))).toBe(PERMISSION_DENIED);
        continue;
      }
      const { rows: seen } = await service.raw(`select row_security_active('${name}') as active`);
      expect([name, seen]).toEqual([name, [{ active: true }]]);
      expect([name, (await service.raw(`select from ${name} limit 1`)).count]).toEqual([name, 0]);
      const { rows: own } = await service
        .of(account_id)
        .raw(`select count(*)::integer as others from ${name} where account_id is distinct from '${account_id}'`);
      expect([name, own]).toEqual([name, [{ others: 0 }]]);
    }
  });

  test("accepts no row of another account", async () => {
    const move = sql<[string, string]>`update brand set account_id = $2 where account_id = $1`;
    const add = sql<[string]>`insert into brand (account_id, id, name) values ($1, 99, 'Other')`;
    const db = service.of(account_id);
    expect(await refusal(db.run(add, [other_id]))).toBe(PERMISSION_DENIED);
    expect(await refusal(db.run(move, [account_id, other_id]))).toBe(PERMISSION_DENIED);
    expect(await db.run(move, [other_id, account_id])).toBe(0);
    expect(await db.run(add, [account_id])).toBe(1);
  });

  test("leaves a connection usable after a statement that failed", async () => {
    const wrong = sql<[string]>`select $1::integer as number`;
    const db = service.of(account_id);
    expect(await refusal(db.rows(wrong, ["x"]))).toBe("22P02");
    expect(await db.rows(products, [])).toEqual([{ account_id }]);
    expect(await service.rows(products, [])).toEqual([]);
  });

  test("costs neither a statement nor a transaction a second round trip", async () => {
    const counter = await countAnswers(database.url);
    const { user, password, pathname } = partsOf(urlAs("service", database.url));
    const connection = { host: "127.0.0.1", port: counter.port, user, password, database: pathname };
    const db = openDb({ connection, pool_size: 1, named_statements: true });
    const bound = db.of(account_id);
    const cost = async (work: () => Promise<unknown>) => {
      const before = counter.answers();
      await work();
      return counter.answers() - before;
    };
    await bound.rows(products, []);
    expect(await cost(() => db.rows(products, []))).toBe(1);
    expect(await cost(() => bound.rows(products, []))).toBe(1);
    expect(await cost(() => db.transaction((tx) => tx.rows(products, [])))).toBe(3);
    expect(await cost(() => bound.transaction((tx) => tx.rows(products, [])))).toBe(3);
    await db.close();
    await counter.close();
  });
});

const partsOf = (url: string) => {
  const [, user, password, pathname] = /^\w+:\/\/([^:]*):([^@]*)@[^/]*\/([^?]*)/.exec(url)!;
  return { user: user!, password: password!, pathname: pathname! };
};

/** A way to the database that counts how often the server said that it is ready: once for each round trip. */
async function countAnswers(url: string) {
  const host = hostOf(url);
  const port = /[?&]port=(\d+)/.exec(url)?.[1] ?? "5432";
  let ready = 0;
  const server = createServer((client) => {
    const target = connect(`${host}/.s.PGSQL.${port}`);
    let rest = Buffer.alloc(0);
    client.pipe(target);
    target.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
        if (rest[0] === "Z".charCodeAt(0)) ready++;
        rest = rest.subarray(1 + rest.readInt32BE(1));
      }
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    answers: () => ready,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
