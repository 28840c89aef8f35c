import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ACCOUNT_SETTING, type Connection, type Db, openDb, sql } from "../../../src/db/db.ts";
import { INDEX_KEY_LOCK, IndexKeyRefusal, indexKeyFence } from "../../../src/db/index-key-fence.ts";
import { OutOfReach } from "../../../src/domain/values/refusals.ts";
import { write } from "../../../src/usecases/write.ts";
import { createTestDatabase } from "../../support/test-app.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
const opened: Db[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const db of opened.splice(0)) await db.close();
});
afterAll(() => database.drop());

const open = (connection: Connection, more: Partial<Parameters<typeof openDb>[0]> = {}): Db => {
  const db = openDb({ connection, pool_size: 2, named_statements: false, ...more });
  opened.push(db);
  return db;
};
const here = (): Connection => ({ connectionString: database.url });
const NOWHERE = { connectionString: "postgresql://pestle@127.0.0.1:1/pestle" };
/** A server that answers, and accepts no writes. */
const replica = (): Connection => ({ ...here(), options: "-c default_transaction_read_only=on" });

const setting = sql<[name: string], { value: string | null }>`select current_setting($1, true) as value`;
const backend = sql<[], { pid: number }>`select pg_backend_pid() as pid`;
const end = sql<[pid: number], never>`select pg_terminate_backend($1)`;

test.each([
  ["out of reach", () => NOWHERE],
  ["a replica", replica],
])("if the first host is %s, the next one is used, also to listen", async (_, first) => {
  const db = open({ ...first(), others: [here()], writable: true });
  expect(await db.row(setting, ["transaction_read_only"])).toEqual({ value: "off" });
  const listener = await db.connect();
  expect((await listener.query("show transaction_read_only")).rows).toEqual([{ transaction_read_only: "off" }]);
  await listener.end();
});

test("a host that accepts connections and says nothing is left, also to listen", async () => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  try {
    const first = { connectionString: `postgresql://pestle@127.0.0.1:${port}/pestle` };
    const db = open({ ...first, others: [here()], writable: true });
    const listener = await db.connect();
    expect((await listener.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await listener.end();
  } finally {
    silent.close();
  }
});

test("if no host accepts writes, nothing was saved, and the caller may try again", async () => {
  const faults: string[] = [];
  const db = open(
    { ...replica(), others: [NOWHERE, replica()], writable: true },
    { onBroken: ({ message }) => faults.push(message) },
  );
  const error = await db.row(backend, []).catch((caught) => caught);
  expect(error).toBeInstanceOf(OutOfReach);
  expect(error).toMatchObject({ status: 503, saved: "nothing" });
  expect(faults).toHaveLength(1);
});

test("a connection whose server has become a replica is not used again", async () => {
  const db = open(here(), { pool_size: 1 });
  const { pid } = (await db.row(backend, []))!;
  const refused = db.transaction(async (tx) => {
    await tx.raw("set transaction read only");
    await tx.raw("create table never (id integer)");
  });
  expect(await refused.catch((error) => error)).toMatchObject({ saved: "nothing" });
  expect((await db.row(backend, []))?.pid).not.toBe(pid);
});

test("a transaction that loses its connection is tried again on another one, and is saved once", async () => {
  const db = open(here());
  await db.raw("create table saved_once (try integer)");
  let tries = 0;
  await write(
    { db },
    {
      attempt: async (tx) => {
        tries += 1;
        await tx.raw("insert into saved_once values ($1)", [tries]);
        if (tries === 1) await tx.rows(end, [(await tx.row(backend, []))!.pid]);
      },
    },
  );
  expect((await db.raw("select try from saved_once")).rows).toEqual([{ try: 2 }]);
});

test("a single statement whose answer is lost is not tried again, because it may have been saved", async () => {
  const db = open(here());
  let tries = 0;
  const written = write(
    { db },
    {
      transaction: "on_retry",
      attempt: async (one) => {
        tries += 1;
        await one.raw("select pg_terminate_backend(pg_backend_pid())");
      },
    },
  );
  expect(await written.catch((error) => error)).toMatchObject({ saved: "unknown" });
  expect(tries).toBe(1);
});

test("through a pooler, account and settings last for one transaction, and the index key is compared in each", async () => {
  let changed: Error | undefined;
  const fence = indexKeyFence((error) => {
    changed = error;
  });
  const plain = open(here(), { fence: null });
  const { rows: keys } = await plain.raw(
    "insert into index_key (wrapped, created_at, layer) values ('', now(), 1) returning index_key_id",
  );
  const db = open(here(), { pool_size: 1, pooled: true, fence });
  fence.require(String(keys[0]?.["index_key_id"]));
  const rows = async (one: Pick<Db, "row">) => [
    (await one.row(setting, [ACCOUNT_SETTING]))?.value,
    (await one.row(setting, ["jit"]))?.value,
    (await one.row(setting, ["statement_timeout"]))?.value,
  ];
  expect(await rows(db.of("some account"))).toEqual(["some account", "off", "15s"]);
  expect(await db.of("another").transaction((tx) => rows(tx))).toEqual(["another", "off", "15s"]);
  expect(await rows(db)).toEqual(["", "off", "15s"]);
  const left = await db.transaction(async (tx) => (await tx.raw("select count(*) from pg_prepared_statements")).rows);
  expect(left).toEqual([{ count: 0 }]);

  // While the key is rotated, no statement passes.
  const rotation = await plain.connect();
  await rotation.query(`select pg_advisory_lock(${INDEX_KEY_LOCK})`);
  for (const asked of [() => db.row(backend, []), () => db.of("x").transaction((tx) => tx.row(backend, []))])
    expect(await asked().catch((error) => error)).toBeInstanceOf(IndexKeyRefusal);
  expect(changed).toBeUndefined();
  await rotation.query("update index_key set index_key_id = gen_random_uuid()");
  await rotation.end();
  expect(await db.row(backend, []).catch((error) => error)).toBeInstanceOf(IndexKeyRefusal);
  expect(changed).toBeInstanceOf(IndexKeyRefusal);
});
