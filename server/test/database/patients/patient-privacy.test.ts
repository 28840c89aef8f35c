import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { searchKeys } from "../../../src/domain/patients/patient-record.ts";
import { rotateDataKey } from "../../../src/usecases/operations/rotate-keys.ts";
import { openPatientId, searchIndex } from "../../../src/usecases/patients/patient-rows.ts";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { openVault } from "../../../src/vault/vault.ts";
import { addPatient, ask, goodAddress, goodDocument, patientCalls, person, stranger } from "../../support/patient.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

let known: ReturnType<typeof stranger>;
let patient_id = "";
let calls: ReturnType<typeof patientCalls>;
beforeEach(async () => {
  known = stranger();
  ({ patient_id } = await addPatient(app, { patient: known }));
  calls = patientCalls(app, patient_id);
});

const address = goodAddress;
const document = goodDocument;

test("no identifying data can be read from the database, including stored answers", async () => {
  const secrets = {
    first_name: "Xanthippe",
    last_name: "Nightvale",
    email: "xanthippe.n@moonmail.example",
    phone: "7075550186",
    street1: "881 Gullwing Hollow",
    document: "K40918277",
    condition: "narcolepsy",
    dob: "1949-12-24",
    former_email: known.email,
    former_phone: known.phone,
    former_street1: person.address!.street1!,
  };
  const { first_name, last_name, dob } = secrets;
  const added = await addPatient(app, { patient: { ...known, first_name, last_name, dob } });
  expect(added.patient_id).not.toBe(patient_id);
  calls = patientCalls(app, added.patient_id);
  const headers = { "idempotency-key": "sealed" };
  await calls.patch({
    email: secrets.email,
    phone: secrets.phone,
    patient_safety: { health_conditions: [secrets.condition] },
  });
  const place = { ...address, first_name, last_name, street1: secrets.street1 };
  expect((await calls.addAddress(place, { headers })).status).toBe(201);
  expect((await calls.addDocument({ ...document, number: secrets.document }, { headers })).status).toBe(201);

  const { rows: tables } = await app.deps.db.raw(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'",
  );
  expect(tables.length).toBeGreaterThan(15);
  for (const { name: table } of tables) {
    const { rows } = await app.deps.db.raw(`select t::text as row from ${String(table)} t`);
    const text = rows.map(({ row }) => String(row).toLowerCase()).join("\n");
    for (const secret of Object.values(secrets)) {
      expect(text.includes(secret.toLowerCase()), `${table} tells ${secret}`).toBe(false);
      for (const written of [secret, secret.toLowerCase()]) {
        expect(text.includes(Buffer.from(written).toString("hex")), `${table} tells ${secret} in bytes`).toBe(false);
      }
    }
  }
  const logged = JSON.stringify(app.lines());
  for (const secret of Object.values(secrets)) expect(logged).not.toContain(secret);
});

describe("a search through the blind indexes", () => {
  const account = (partner: number) => app.demo.partners[partner]!.account_id;
  async function found<By extends keyof typeof searchKeys>(
    by: By,
    question: Parameters<(typeof searchKeys)[By]>[0],
    partner = 0,
  ) {
    const account_id = account(partner);
    const text = (searchKeys[by] as (question: unknown) => string)(question);
    const index = searchIndex(app.deps, account_id, by, text);
    const sql = `select patient_key, id_sealed from patient where account_id = $1 and ${by}_index = $2`;
    return (await app.deps.db.raw(sql, [account_id, index])).rows.map((row) =>
      openPatientId(app.deps, account_id, row as { patient_key: number; id_sealed: Buffer }),
    );
  }

  test("finds by email, telephone, and name with birth date, in any format", async () => {
    await calls.patch({ email: `Look.${known.email}`, phone: "6285550177" });
    expect(await found("email", ` look.${known.email.toUpperCase()} `)).toEqual([patient_id]);
    expect(await found("phone", "+1 628-555-0177")).toEqual([patient_id]);
    expect(
      await found("name_dob", { first_name: "zéphyrine", last_name: known.last_name.toUpperCase(), dob: person.dob! }),
    ).toEqual([patient_id]);
    expect(await found("name_dob", { ...known, first_name: "Zephyrine", dob: "1957-03-09" })).toEqual([]);
  });

  test("no longer finds changed values", async () => {
    await calls.patch({ email: `before.${known.email}` });
    await calls.patch({ email: `after.${known.email}` });
    expect(await found("email", `before.${known.email}`)).toEqual([]);
    expect(await found("email", `after.${known.email}`)).toEqual([patient_id]);
  });

  test("finds no patient of another account, even for the same person", async () => {
    const own = await addPatient(app, { partner: 1, patient: known });
    const question = { first_name: person.first_name!, last_name: known.last_name, dob: person.dob! };
    expect(await found("name_dob", question, 0)).toEqual([patient_id]);
    expect(await found("name_dob", question, 1)).toEqual([own.patient_id]);
    const { rows } = await app.deps.db.raw("select distinct name_dob_index from patient where patient_key = any($1)", [
      [await patientKeyOf(app, account(0), patient_id), await patientKeyOf(app, account(1), own.patient_id)],
    ]);
    expect(rows).toHaveLength(2);
  });
});

test("patients can be read and changed during a key rotation", async () => {
  const masters = () => [decodeMasterKey(TEST_MASTER_KEY)];
  const rotate = async () => {
    const vault = await openVault(app.deps.db, masters, new Date());
    await rotateDataKey({ db: app.deps.db, vault, masterKeys: masters }, new Date());
  };
  const headers = { "idempotency-key": "rotated" };
  const first = await calls.addAddress(address, { headers });
  const work = async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 8; round++) {
      statuses.push((await calls.patch({ patient_safety: { medications: [`round ${round}`] } })).status);
      statuses.push((await ask(app, `/patients/${patient_id}`)).status);
      statuses.push((await calls.addAddress(address, { headers })).status);
    }
    return statuses;
  };
  const [statuses] = await Promise.all([work(), rotate().then(rotate)]);
  expect(new Set(statuses)).toEqual(new Set([200, 201]));
  expect((await calls.addAddress(address, { headers })).text).toBe(first.text);
});
