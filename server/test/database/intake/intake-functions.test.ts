import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isConflict } from "../../../src/db/conflict.ts";
import type { Queryable, Tx } from "../../../src/db/db.ts";
import { messagePlace, storeMessage } from "../../../src/db/intake/messages.ts";
import { type IntakeSave, saveIntake } from "../../../src/db/intake/receive-prescription.ts";
import { scriptFormat } from "../../../src/formats/formats.ts";
import { operatorAccount } from "../../../src/usecases/accounts/create-partner.ts";
import { decideFor } from "../../../src/usecases/intake/take-message.ts";
import { newMessage } from "../../support/intake.ts";
import { addPatient } from "../../support/patient.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { prescription } from "../../support/samples/script-samples.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";

let app: TestApp;
let account_id: string;
let operator_id: string;
beforeAll(async () => {
  app = await startTestApp();
  const { environment, account_id: partner } = app.demo.partners[0]!;
  account_id = partner;
  operator_id = await app.deps.db.transaction((tx) => operatorAccount(tx, environment, app.deps.now()));
});
afterAll(() => app.stop());

let number = 0;
const nextId = () => `F-${++number}`;
const stranger = () => ({ ids: [], first_name: "Ida", last_name: `Guard ${++number}`, phone: null, email: null });

function received(body: Buffer, kept_by = operator_id) {
  const read = scriptFormat.read(body);
  if (!read.ok) throw new Error("the message cannot be read");
  const { from, message_id } = read.message.envelope;
  const row = {
    account_id: kept_by,
    format: "script" as const,
    sender: from!,
    sender_message_id: message_id!,
    body_hash: createHash("sha256").update(body).digest(),
    received_at: app.deps.now(),
    kind: read.message.content.kind,
  };
  return { message: read.message, row };
}

function store(db: Queryable, body: Buffer, kept_by = operator_id) {
  const { message, row } = received(body, kept_by);
  const place = messagePlace(row.account_id, row.sender, row.sender_message_id);
  const to = kept_by === operator_id ? message.envelope.to : null;
  return storeMessage(db, { ...row, body_sealed: app.deps.vault.seal(body, place) }, to, null);
}

/** Stores a message and decides on it, without saving the decision. A simulated message is kept by its own account. */
async function decided(body: Buffer, kept_by = operator_id): Promise<IntakeSave> {
  const { new_id } = await store(app.deps.db, body, kept_by);
  const { message, row } = received(body, kept_by);
  const account = {
    ...{ account_id, environment: "sandbox" as const, workflow: "api_driven" as const },
    ...{ clock_offset_s: 0, routing_rules: [] },
  };
  const stored = { ...row, intake_message_id: new_id! };
  return (await decideFor(app.deps, scriptFormat, message, stored, account, app.deps.now())).changes;
}
const decidedNew = (patient: object = stranger(), more: object = {}) =>
  decided(newMessage({ envelope: { message_id: nextId() }, patient, ...more }));

/** A known patient whose record the next message changes. */
async function decidedChange(): Promise<IntakeSave> {
  const patient = { ...stranger(), phone: "9165550177" };
  await save(await decidedNew(patient));
  const allergies = [{ text: "Sulfa", codes: [], reaction: null, severity: null }];
  const changes = await decidedNew(patient, { prescription: { allergies } });
  expect(changes.changed_patient).not.toBeNull();
  return changes;
}

/** Two active prescriptions, by id. */
async function twoPrescriptions(): Promise<IntakeSave["ended"]> {
  const added = [await addPatient(app, { patient: stranger() }), await addPatient(app, { patient: stranger() })];
  return added
    .map(({ prescription_id }) => ({ prescription_id, units_ordered: 0 }))
    .sort((a, b) => a.prescription_id - b.prescription_id);
}

const save = (changes: IntakeSave, db: Queryable = app.deps.db) => saveIntake(db, changes);

const TABLES = [
  "intake_message",
  "patient",
  "patient_name_claim",
  "patient_alias",
  "person_link",
  "prescription",
  "review",
  "webhook_event",
];
/** All rows that a message can write. A job orders prescriptions of the demo's automatic account meanwhile. */
async function content(): Promise<Record<string, string>> {
  const all = TABLES.map(async (table) => {
    const { rows } = await app.owner.raw(
      `select count(*) || ' ' || md5(string_agg(t::text, ' ' order by t::text)) as rows from ${table} t
      where t.account_id = any($1)`,
      [[account_id, operator_id]],
    );
    return [table, String(rows[0]!["rows"])] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

async function expectConflict(changes: IntakeSave, db?: Queryable): Promise<void> {
  const before = await content();
  const fault = await save(changes, db).then(
    () => null,
    (error: unknown) => error,
  );
  expect([isConflict(fault), (fault as { code?: string } | null)?.code]).toEqual([true, "40001"]);
  expect(await content()).toEqual(before);
}

describe("save_intake changes nothing if", () => {
  test("another process has finished the message", async () => {
    const changes = await decidedNew();
    await save(changes);
    const again = { ...changes, new_patient: null, prescription: null, aliases: [], events: [] };
    await expectConflict(again);
    await expectConflict({ ...again, message: { ...again.message, was: "review" } });
  });

  test("the message waits for the service, and not for a person", async () => {
    const changes = await decidedNew();
    await expectConflict({ ...changes, message: { ...changes.message, was: "review" } });
    await save(changes);
  });

  test("a person has routed the message to another account", async () => {
    const target = { patient: { ...prescription.patient, ...stranger() }, prescriber_npi: null, drug_codes: [] };
    const content = {
      kind: "cancel" as const,
      discontinue: false,
      target: { ...target, drug_description: "Nothing 5 MG", written_date: null },
    };
    const changes = await decided(
      newMessage({ envelope: { message_id: nextId(), prescriber_order_number: null }, content }),
    );
    expect(changes.message.outcome).toBe("review");
    await save(changes);
    await expectConflict({ ...changes, message: { ...changes.message, was: "review" } });
  });

  test("it belongs to another account", async () => {
    const changes = await decidedNew();
    await expectConflict({ ...changes, message: { ...changes.message, account_id } });
    await save(changes);
  });

  test("another message has created a patient with this name and birth date", async () => {
    const patient = stranger();
    const [first, second] = [await decidedNew(patient), await decidedNew(patient)];
    await save(first);
    await expectConflict(second);
    await save({ ...second, new_patient: { ...second.new_patient!, claim_revision: 1 } });
  });

  test("the patient's record has changed", async () => {
    const changes = await decidedChange();
    const changed = changes.changed_patient!;
    await expectConflict({ ...changes, changed_patient: { ...changed, revision: changed.revision - 1 } });
    await expectConflict({ ...changes, changed_patient: { ...changed, revision: changed.revision + 1 } });
    await save(changes);
  });

  test("an order has taken units of a prescription that ends, or the prescription has ended", async () => {
    const [first, second] = (await twoPrescriptions()) as [IntakeSave["ended"][0], IntakeSave["ended"][0]];
    const changes = await decidedNew();
    const ended = (...rows: IntakeSave["ended"]) => ({ ...changes, ended: rows });
    await expectConflict(ended({ ...first, units_ordered: 1 }));
    await expectConflict(ended(first, { ...second, units_ordered: 1 }));
    await expectConflict(ended({ ...first, prescription_id: 1 }));
    await expectConflict(ended(first, first));
    await app.deps.db.raw("update prescription set active = false where prescription_id = $1", [
      second.prescription_id,
    ]);
    await expectConflict(ended(first, second));
    await save(ended(first));
    const { rows } = await app.deps.db.raw(
      "select count(*)::int as active from prescription where prescription_id = any($1) and active",
      [[first.prescription_id, second.prescription_id]],
    );
    expect(rows).toEqual([{ active: 0 }]);
  });

  test("the patient or the prescription belongs to another account", async () => {
    const other = app.demo.partners[1]!;
    const { patient_id, prescription_id } = await addPatient(app, { partner: 1, patient: stranger() });
    const patient_key = await patientKeyOf(app, other.account_id, patient_id);
    const changes = await decidedChange();
    await expectConflict({ ...changes, patient_key, changed_patient: { ...changes.changed_patient!, revision: 1 } });
    await expectConflict({ ...changes, ended: [{ prescription_id, units_ordered: 0 }] });
    await save(changes);
  });

  test("the caller works for another account", async () => {
    const { tenants } = app.deps;
    const changes = await decided(newMessage({ envelope: { message_id: nextId() }, patient: stranger() }), account_id);
    await expectConflict(changes, tenants.of(app.demo.partners[1]!.account_id));
    await save(changes, tenants.of(account_id));
  });
});

describe("save_intake", () => {
  /** A key of each row in the order of its lock. */
  const rowsThat = {
    intake_message: "account_id = $1 and intake_message_id = $2",
    patient_name_claim: "account_id = $1 and name_dob_index = $2",
    patient: "account_id = $1 and patient_key = $2",
    prescription: "account_id = $1 and prescription_id = $2",
  };
  type Row = readonly [table: keyof typeof rowsThat, account_id: string, key: unknown];
  const lock = (tx: Tx, [table, ...key]: Row) =>
    tx.raw(`select from ${table} where ${rowsThat[table]} for update`, key);
  /** Whether no transaction has locked the row. */
  const free = async ([table, ...key]: Row) =>
    (await app.deps.db.raw(`select from ${table} where ${rowsThat[table]} for update skip locked`, key)).count === 1;
  const waiting = async () =>
    (
      await app.deps.db.raw(`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%save_intake(%'`)
    ).count === 1;

  /** A new patient with the name and birth date of another. */
  async function decidedNamesake(): Promise<IntakeSave> {
    const patient = stranger();
    await save(await decidedNew(patient));
    const address = { ...prescription.patient.address!, zip: "10001", city: "New York", state: "NY" };
    const changes = await decidedNew({ ...patient, address });
    expect(changes.new_patient?.claim_revision).toBe(1);
    return changes;
  }
  const kinds = {
    "the name": async () => {
      const changes = await decidedNamesake();
      return { changes, own: ["patient_name_claim", account_id, changes.new_patient!.name_dob_index] as Row };
    },
    "the patient": async () => {
      const changes = await decidedChange();
      return { changes, own: ["patient", account_id, changes.patient_key] as Row };
    },
  };

  for (const [name, make] of Object.entries(kinds)) {
    for (const [at, what] of ["the message", name, "a prescription", "the next prescription"].entries()) {
      test(`that waits for ${what} has locked the rows before it, and none after it (${name})`, async () => {
        const { changes, own } = await make();
        const ended = await twoPrescriptions();
        const rows: Row[] = [
          ["intake_message", operator_id, changes.message.intake_message_id],
          own,
          ...ended.map(({ prescription_id }) => ["prescription", account_id, prescription_id] as Row),
        ];
        let saved: Promise<unknown> | undefined;
        const found = await app.deps.db.transaction(async (tx) => {
          await lock(tx, rows[at]!);
          // The higher id comes first, so that the lock order differs from the order in the argument.
          saved = save({ ...changes, ended: ended.toReversed() });
          await until(waiting, "the save waits for the row", 60_000);
          const others: boolean[] = [];
          for (const [index, row] of rows.entries()) if (index !== at) others.push(await free(row));
          return others;
        });
        expect(found).toEqual(rows.flatMap((_, index) => (index === at ? [] : [index > at])));
        await saved;
      });
    }
  }

  test("keeps the answer that the sender of a routed message has", async () => {
    const changes = await decidedNew();
    const kept = app.deps.vault.seal(Buffer.from("the first answer"), "a place");
    const at = ["review", kept, app.deps.now(), changes.message.intake_message_id];
    await app.owner.raw(
      "update intake_message set state = 'processed', outcome = $1, answer_sealed = $2, processed_at = $3 " +
        "where intake_message_id = $4",
      at,
    );
    await save({ ...changes, message: { ...changes.message, was: "review" } });
    const { rows } = await app.deps.db.raw(
      "select outcome, for_account_id, answer_sealed from intake_message where intake_message_id = $1",
      [changes.message.intake_message_id],
    );
    expect(rows).toEqual([{ outcome: "accepted", for_account_id: account_id, answer_sealed: kept }]);
  });
});

describe("store_message", () => {
  test("finds a message that another request is storing at the same time", async () => {
    const body = newMessage({ envelope: { message_id: nextId() }, patient: stranger() });
    let second: ReturnType<typeof store> | undefined;
    const first = await app.deps.db.transaction(async (tx) => {
      const stored = await store(tx, body);
      second = store(app.deps.db, body);
      await until(async () => {
        const { count } = await app.deps.db.raw(`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%store_message(%'`);
        return count === 1;
      }, "the second request waits for the first");
      return stored;
    });
    expect(first.known).toBeNull();
    const { body_hash } = received(body).row;
    expect(await second).toMatchObject({
      new_id: null,
      known: { intake_message_id: first.new_id, body_hash, answer: null, answer_sealed: null },
      receivers: first.receivers,
    });
  });
});
