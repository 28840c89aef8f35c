import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Order } from "@pestle/contract";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { schemaColumns } from "../../../../scripts/docs/schema-columns.ts";
import type { Config } from "../../../src/config.ts";
import { openDatabase } from "../../../src/database.ts";
import { type Db, openDb } from "../../../src/db/db.ts";
import { INDEX_KEY_LOCK, IndexKeyRefusal } from "../../../src/db/index-key-fence.ts";
import { loadIntakeContext } from "../../../src/db/intake/receive-prescription.ts";
import { countConnections } from "../../../src/db/operations/blind-columns.ts";
import { protectionOf } from "../../../src/db/operations/column-protection.ts";
import { listIndexKeys } from "../../../src/db/operations/keys.ts";
import { loadPatient } from "../../../src/db/patients/patients.ts";
import { findSmsChoice, SMS_CHOICE_PLACE } from "../../../src/db/patients/sms-choices.ts";
import { readNotes } from "../../../src/usecases/fulfillment/claim-order.ts";
import { resolveException } from "../../../src/usecases/fulfillment/steps.ts";
import { backUp } from "../../../src/usecases/operations/back-up.ts";
import { restore, verifyBackup } from "../../../src/usecases/operations/restore.ts";
import { rotateIndexKey } from "../../../src/usecases/operations/rotate-index-key.ts";
import { describeKeys } from "../../../src/usecases/operations/rotate-keys.ts";
import { rotateMasterKey } from "../../../src/usecases/operations/rotate-master-key.ts";
import { blindIndexes, patientIndex } from "../../../src/usecases/patients/patient-rows.ts";
import { takePatientText } from "../../../src/usecases/providers/twilio-reports.ts";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { openVault } from "../../../src/vault/vault.ts";
import { held } from "../../support/held-orders.ts";
import { orderOf, placed, post } from "../../support/orders.ts";
import { addPatient, ask, goodAddress, patientCalls, person, stranger } from "../../support/patient.ts";
import { createTestDatabase, startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { DEMO_TEMPLATE } from "../../support/test-cluster.ts";
import { until } from "../../support/tools/until.ts";
import { webPerson } from "../../support/web.ts";
import { staff, workplace } from "../../support/workplace.ts";

/** The rotation of the index key, between two lives of the real service on one database. */

const masters = () => [decodeMasterKey(TEST_MASTER_KEY)];
/** Every column with keyed hashes, as "table.column". */
const blindColumns = schemaColumns()
  .filter(({ table, column, type }) => protectionOf(table, column, type) === "blind")
  .map(({ table, column }) => `${table}.${column}`);
/** The stored path of an answer has a hash in it. */
const hashedColumns = [...blindColumns, "idempotent_answer.path"];

const opened: { url: string; drop(): Promise<void> }[] = [];
afterAll(async () => {
  for (const { drop } of opened) await drop();
});

async function newDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const database = await createTestDatabase(DEMO_TEMPLATE);
  opened.push(database);
  return database;
}
const start = (url: string) => startTestApp({ url, demo: inject("demo"), unlimited: true });

/** A session of the owner that Pestle does not know, as of `psql`. */
async function withPsql<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: "psql" });
  client.on("error", () => {});
  await client.connect();
  return work(client).finally(() => client.end());
}

/** As the command does it. */
async function rotate(config: Config, onProgress?: (table: string, renewed: number) => void) {
  const database = await openDatabase(config);
  const db = database.openOwner({ rotates: true });
  try {
    return await rotateIndexKey({ db, masterKeys: masters }, new Date(), onProgress);
  } finally {
    await db.close();
    await database.close();
  }
}

async function stopped(app: TestApp, url: string): Promise<Config> {
  await app.stop();
  const db = openDb({ connection: { connectionString: url }, pool_size: 1, named_statements: false, fence: null });
  // PostgreSQL ends a session a moment after its client.
  await until(async () => (await countConnections(db)) === 0, "the connections are closed");
  await db.close();
  return app.config;
}

/** The hashes of each column, in hexadecimal. */
async function hashes(url: string): Promise<Map<string, string[]>> {
  return withPsql(url, async (client) => {
    const found = new Map<string, string[]>();
    for (const name of hashedColumns) {
      const [table, column] = name.split(".");
      const { rows } = await client.query(`select ${column}::text as value from ${table} where ${column} is not null`);
      found.set(
        name,
        rows.flatMap(({ value }) => String(value).match(/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g) ?? []).sort(),
      );
    }
    return found;
  });
}

/** Every row of every table, apart from those that the service writes on its own. */
async function everything(url: string): Promise<string[]> {
  return withPsql(url, async (client) => {
    const { rows: tables } = await client.query(
      `select relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p' order by 1`,
    );
    const lines: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`select t::text as row from ${name} t order by 1`);
      lines.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return lines;
  });
}

const indexKeyOf = (url: string) =>
  withPsql(url, async (client) => (await client.query("select index_key_id from index_key order by layer")).rows);

describe("after a rotation of the index key", () => {
  const known = { ...stranger(), ids: [{ kind: "medical_record" as const, value: "MRN 4711" }] };
  const reference = "cart-4711";
  const CODE = "prescriber_consulted";
  const REASON = "Called the prescriber.";
  let url: string;
  let app: TestApp;
  let patient_id: string;
  let prescription_id: number;
  let other_id: string;
  let order: Order;
  let body: Record<string, unknown>;
  let overridden: Order;
  let forged: Order;
  let open: Order;
  let first_address: string;
  let feed_cursor: string;
  let before: Map<string, string[]>;
  /** What a rotation does not change, before and after it. */
  let same: { [column: string]: unknown }[][];
  let after: typeof same;
  let rotated: Awaited<ReturnType<typeof rotate>>;

  const LINKS = `
    select string_agg(patient_key::text, ' ' order by patient_key) as people
    from person_link group by environment, person_key order by 1`;
  const COUNTS = `
    select (select count(*) from patient) as patients, (select count(*) from patient_alias) as aliases,
      (select count(*) from person_due) as due, (select sum(revision) from patient) as revisions,
      (select max(updated_at) from patient) as updated`;
  const MISSING = "select person_keys, email_index, phone_index from patient where email_index is null";
  const one = async (text: string) => withPsql(url, async (client) => (await client.query(text)).rows);
  const headers = { "idempotency-key": "once" };
  const addresses = () => patientCalls(app, patient_id);
  /** An override by a pharmacist: a signed note and a confirmed basis. */
  async function override(): Promise<Order> {
    const { order: placed, partner } = await held[75](app);
    await resolveException(app.deps, workplace(app, partner).work(placed, staff.pharmacist), 75, REASON, CODE);
    return placed;
  }

  beforeAll(async () => {
    ({ url } = await newDatabase());
    app = await start(url);
    ({ patient_id, prescription_id } = await addPatient(app, { patient: known }));
    ({ patient_id: other_id } = await addPatient(app, { partner: 1, patient: known }));
    await addPatient(app, { patient: { ...stranger(), email: null, phone: null } });
    body = { ...orderOf({ patient_id, prescription_id }), reference };
    order = await placed(app, body, { headers });
    first_address = (await addresses().addAddress(goodAddress, { headers })).text;
    overridden = await override();
    forged = await override();
    open = (await held[74](app)).order;
    await takePatientText(app.deps, { from: `+1${known.phone}`, text: "STOP", provider_id: `SM${"0".repeat(32)}` });
    feed_cursor = JSON.parse((await ask(app, "/webhook_events?limit=1")).text).end_cursor;
    const config = await stopped(app, url);
    await withPsql(url, async (client) => {
      const forge = "update order_note set signature = decode(md5('forged'), 'hex') where order_number = $1";
      await client.query(forge, [forged.order_number]);
      // As in a row of an earlier version.
      const unknown = "(select patient_key from patient where email_index is null and phone_index is null)";
      await client.query(`delete from person_link where patient_key in ${unknown}`);
      await client.query(`update patient set person_keys = null where patient_key in ${unknown}`);
    });
    before = await hashes(url);
    same = [await one(LINKS), await one(COUNTS), await one(MISSING)];
    rotated = await rotate(config);
    after = [await one(LINKS), await one(COUNTS), await one(MISSING)];
    app = await start(url);
  });
  afterAll(() => app.stop());

  test("every hash has changed, and no old one is left in any table", async () => {
    // Otherwise the test would prove nothing about the column.
    for (const [name, values] of before) expect([name, values.length > 0]).toEqual([name, true]);
    const old = new Set([...before.values()].flat());
    const left = (await everything(url)).filter((row) =>
      (row.match(/[0-9a-f]{32,}/g) ?? []).some((hex) => old.has(hex)),
    );
    expect(left).toEqual([]);
  });

  test("the same persons are linked, missing hashes are still missing, and no patient has another revision", () => {
    expect(after).toEqual(same);
    const [links, , missing] = after;
    expect(links!.some(({ people }) => String(people).includes(" "))).toBe(true);
    expect(missing).toEqual([{ person_keys: null, email_index: null, phone_index: null }]);
  });

  test("a patient who replied STOP stays opted out", async () => {
    const index = app.deps.vault.layeredIndex(known.phone, SMS_CHOICE_PLACE);
    expect(await findSmsChoice(app.deps.db, index)).toBe("stop");
  });

  test("the triggers of patients work again", async () => {
    const disabled = await one("select tgname from pg_trigger where tgenabled <> 'O' and not tgisinternal");
    expect(disabled).toEqual([]);
  });

  test("partners find patients and orders", async () => {
    expect((await addresses().read()).patient_id).toBe(patient_id);
    for (const query of [`reference=${reference}`, `patient_id=${patient_id}`]) {
      const { text } = await ask(app, `/orders?${query}`);
      expect([query, text.includes(order.order_number)]).toEqual([query, true]);
    }
    expect((await ask(app, `/patients/${other_id}`)).status).toBe(404);
    expect((await ask(app, `/patients/${other_id}`, undefined, { partner: 1 })).status).toBe(200);
  });

  test("staff find them by reference, id, and name with birth date, and the audit log by the patient", async () => {
    const lead = await webPerson(app, "lead");
    const name = `${person.first_name} ${known.last_name}`;
    for (const q of [
      reference,
      patient_id,
      `${name} ${person.dob}`,
      known.last_name,
      `${known.last_name} ${person.dob}`,
    ]) {
      const { hits } = (await lead.send("POST", "/dashboard/search", { q })).body;
      expect([q, hits.map((hit: { order_number: string }) => hit.order_number)]).toEqual([
        q,
        expect.arrayContaining([order.order_number]),
      ]);
    }
    const { account_id } = app.demo.partners[0]!;
    const page = await lead.get(`/dashboard/audit?account_id=${account_id}&patient_id=${patient_id}`);
    const actions = page.body.entries.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(["order_created"]));
  });

  test("a prescription for a known patient creates no second one, and its sender's own id finds the patient", async () => {
    const { account_id } = app.demo.partners[0]!;
    const { alias_indexes } = blindIndexes(app.deps, account_id, "TESTCLINIC", { ...person, ...known });
    const nothing = { name_dob_index: null, phone_index: null, wanted_indexes: [], meant_index: null };
    const found = await loadIntakeContext(app.deps.db, {
      account_id,
      alias_indexes,
      ...nothing,
      sender: "TESTCLINIC",
      relates_to: null,
      prescriber_order_number: null,
      with_prescriptions: false,
    });
    const row = await loadPatient(app.deps.db, account_id, patientIndex(app.deps, account_id, patient_id));
    expect(found.patients).toMatchObject([{ patient_key: row!.patient_key, same_id: true }]);
    // Only now, because the message adds the alias again.
    const patients = async () => (await one("select count(*)::int as count from patient"))[0].count;
    const count = await patients();
    expect((await addPatient(app, { patient: known })).patient_id).toBe(patient_id);
    expect(await patients()).toBe(count);
  });

  test("a repeated request gets its stored answer, and a repeated order is recognized", async () => {
    const again = await post(app, body, { headers });
    expect([again.headers.get("idempotent-replayed"), again.body.order_number]).toEqual(["true", order.order_number]);
    expect((await addresses().addAddress(goodAddress, { headers })).text).toBe(first_address);
    expect((await addresses().addAddress({ ...goodAddress, zip: "94103" }, { headers })).status).toBe(422);
    expect((await post(app, body)).status).toBe(409);
  });

  test("a note's signature holds, a forged one does not, and an override stays", async () => {
    const shop = workplace(app);
    const holds = async ({ order_number }: Order) =>
      (await readNotes(app.deps, shop.account_id, order_number)).map((note) => note.signature_holds);
    expect(await holds(overridden)).toEqual([true]);
    expect(await holds(forged)).toEqual([false]);
    await shop.act(overridden, { event: "hold" });
    expect((await shop.act(overridden, { event: "release" })).order.exceptions).toEqual([]);
    const ended = await resolveException(app.deps, shop.work(open, staff.pharmacist), 74, REASON, CODE);
    expect(ended.exceptions).toEqual([]);
  });

  test("a cursor that a program stored continues", async () => {
    expect((await ask(app, `/webhook_events?cursor=${feed_cursor}`)).status).toBe(200);
    expect((await ask(app, `/webhook_events?cursor=${feed_cursor.slice(0, -4)}AAAA`)).status).toBe(400);
  });

  test("the keys show the new one, and a new master key and a second rotation keep everything findable", async () => {
    const { index_key } = await describeKeys(app.deps.db);
    expect(index_key).toMatchObject({ index_key_id: rotated.index_key_id, rotations: 1 });
    const NEW_MASTER_KEY = "9".repeat(64);
    await rotateMasterKey({ config: { ...app.config, NEW_MASTER_KEY }, db: app.deps.db }, new Date());
    await rotateMasterKey(
      { config: { ...app.config, MASTER_KEY: NEW_MASTER_KEY, NEW_MASTER_KEY: TEST_MASTER_KEY }, db: app.deps.db },
      new Date(),
    );
    const config = await stopped(app, url);
    await rotate(config);
    app = await start(url);
    expect((await listIndexKeys(app.deps.db)).map(({ layer }) => layer)).toEqual([1, 2, 3]);
    expect((await addPatient(app, { patient: known })).patient_id).toBe(patient_id);
    expect((await addresses().addAddress(goodAddress, { headers })).text).toBe(first_address);
    expect((await readNotes(app.deps, app.demo.partners[0]!.account_id, overridden.order_number))[0]).toMatchObject({
      signature_holds: true,
    });
    expect((await ask(app, `/webhook_events?cursor=${feed_cursor}`)).status).toBe(200);
  });

  test("backups from before and after restore to a database that finds the patient", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pestle-index-"));
    const master = masters();
    const files = ["before", "after"].map((name) => join(folder, name)) as [string, string];
    await backUp(app.owner, files[0], master, new Date());
    const config = await stopped(app, url);
    await rotate(config);
    app = await start(url);
    await backUp(app.owner, files[1], master, new Date());
    const { account_id } = app.demo.partners[0]!;
    for (const file of files) {
      const empty = await createTestDatabase("");
      opened.push(empty);
      const db = openDb({ connection: { connectionString: empty.url }, pool_size: 2, named_statements: true });
      await restore(db, await verifyBackup(file, master));
      const vault = await openVault(db, masters, new Date());
      expect(await loadPatient(db, account_id, patientIndex({ vault }, account_id, patient_id))).toBeDefined();
      await db.close();
    }
    rmSync(folder, { recursive: true, force: true });
  });
});

describe("a rotation of the index key", () => {
  let url: string;
  let config: Config;
  let state: string[];
  beforeAll(async () => {
    ({ url } = await newDatabase());
    const app = await start(url);
    await addPatient(app, { patient: { ...stranger(), ids: [{ kind: "account", value: "A-1" }] } });
    config = await stopped(app, url);
    state = await everything(url);
  });

  const openProcess = async (onIndexKeyChanged?: (error: Error) => void) => {
    const database = await openDatabase(config, { onIndexKeyChanged });
    const vault = await openVault(database.db, masters, new Date());
    return { database, vault };
  };

  test("is refused while a process is connected, and changes nothing", async () => {
    const { database } = await openProcess();
    await expect(rotate(config)).rejects.toThrow(/^Pestle has 1 open connection to this database\. Stop all /);
    await database.queue.raw("select");
    await expect(rotate(config)).rejects.toThrow("Pestle has 2 open connections");
    await database.close();
    expect(await everything(url)).toEqual(state);
  });

  test("is refused while a process of a version without the lock is connected", async () => {
    const old = new pg.Client({ connectionString: url, application_name: "pestle" });
    await old.connect();
    await expect(rotate(config)).rejects.toThrow("Pestle has 1 open connection ");
    await old.end();
    expect(await everything(url)).toEqual(state);
  });

  test("keeps processes and commands out while it runs", async () => {
    const { database } = await openProcess();
    await database.close();
    await withPsql(url, async (client) => {
      await client.query(`select pg_advisory_lock(${INDEX_KEY_LOCK})`);
      const late = await openDatabase(config);
      const refused = (work: Promise<unknown>) => expect(work).rejects.toThrow("has the database to itself.");
      await refused(late.db.raw("select"));
      await refused(late.tenants.of("x").raw("select"));
      await refused(late.db.connect());
      await refused(late.openOwner().transaction(async () => {}));
      // It gets in as soon as the rotation has ended.
      await client.query(`select pg_advisory_unlock(${INDEX_KEY_LOCK})`);
      await late.db.raw("select");
      await late.close();
    });
  });

  const expectUnchanged = async () => {
    expect(await everything(url)).toEqual(state);
    const disabled = await withPsql(url, (client) =>
      client.query("select tgname from pg_trigger where tgenabled <> 'O' and not tgisinternal"),
    );
    expect(disabled.rows).toEqual([]);
  };

  test("that is killed before its commit leaves everything as it was", async () => {
    await withPsql(url, async (blocker) => {
      await blocker.query("begin; lock table index_key in share mode");
      const rotating = rotate(config).catch((error) => error);
      const waiting = `
        select pid from pg_stat_activity
        where datname = current_database() and application_name ~ 'rotation' and wait_event_type = 'Lock'`;
      await withPsql(url, async (client) => {
        // All hashes are written by then: the new key comes last.
        await until(async () => (await client.query(waiting)).rows.length === 1, "the rotation is about to end");
        await client.query(`select pg_terminate_backend(pid) from (${waiting}) w`);
      });
      expect(await rotating).toBeInstanceOf(Error);
      await blocker.query("rollback");
    });
    await expectUnchanged();
  });

  test("that fails midway leaves everything as it was", async () => {
    const seen: string[] = [];
    const failing = rotate(config, (table) => {
      seen.push(table);
      if (table === "patient_alias") throw new Error("cut off");
    });
    await expect(failing).rejects.toThrow("cut off");
    expect(seen).toContain("patient");
    await expectUnchanged();
  });

  test("stops at a damaged value, names its row and changes nothing", async () => {
    const flip = "set_byte(record_sealed, 40, get_byte(record_sealed, 40) # 1)";
    const [{ account_id, patient_key }] = await withPsql(
      url,
      async (client) => (await client.query("select account_id, patient_key from patient limit 1")).rows,
    );
    const damage = () =>
      withPsql(url, (client) =>
        client.query(`update patient set record_sealed = ${flip} where account_id = $1 and patient_key = $2`, [
          account_id,
          patient_key,
        ]),
      );
    await damage();
    await expect(rotate(config)).rejects.toThrow(
      `A value in patient (account_id ${account_id}, patient_key ${patient_key}) is damaged`,
    );
    await damage();
    await expectUnchanged();
  });

  test("leaves a process that was disconnected meanwhile no connection, so that it writes nothing with the old key", async () => {
    const changed: string[] = [];
    const { database, vault } = await openProcess((error) => changed.push(error.message));
    const listener = await database.db.connect();
    listener.on("error", () => {});
    await withPsql(url, (client) =>
      client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pestle' and datname = current_database()",
      ),
    );
    const db = openDb({ connection: { connectionString: url }, pool_size: 1, named_statements: false, fence: null });
    await until(async () => (await countConnections(db)) === 0, "the connections are gone");
    await db.close();
    const [before] = await indexKeyOf(url);
    const { index_key_id } = await rotate(config);
    expect(await indexKeyOf(url)).toEqual([before, { index_key_id }]);

    const message = "The index key changed while this process was disconnected. Restart it.";
    const write = (target: Pick<Db, "raw">) =>
      target.raw("update patient set id_index = $1", [vault.blindIndex("x", "patient.id_index x")]);
    const pools = [database.db, database.queue, database.tenants.of("x"), database.sandbox.db, database.openOwner()];
    for (const pool of pools) {
      const error = await write(pool).catch((thrown) => thrown);
      expect([error instanceof IndexKeyRefusal, error.status, error.message]).toEqual([true, 503, message]);
    }
    await expect(database.db.connect()).rejects.toThrow(message);
    await expect(database.db.transaction((tx) => tx.raw("select"))).rejects.toThrow(message);
    expect(new Set(changed)).toEqual(new Set([message]));
    await listener.end().catch(() => {});
    await database.close();
    // A new process has the new key.
    const next = await openProcess();
    expect(next.vault.blindIndex("x", "y").equals(vault.blindIndex("x", "y"))).toBe(false);
    expect(next.vault.indexVersions[1]!("x", "y").equals(vault.blindIndex("x", "y"))).toBe(true);
    await next.database.close();
  });
});
