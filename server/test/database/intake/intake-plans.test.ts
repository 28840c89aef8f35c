import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptFormat } from "../../../src/formats/formats.ts";
import { receivePrescription } from "../../../src/usecases/intake/receive-prescription.ts";
import { newMessage, openIntake } from "../../support/intake.ts";
import { rowsRead } from "../../support/sql/rows-read.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const ROWS = 3_000;
/** Rows that a message may read, over all tables: its own, its patient's, the account's few settings. */
const MOST_ROWS = 150;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  const { send } = await openIntake(app);
  await send(newMessage({ envelope: { message_id: "P-1" } }));
  // A pharmacy that has been open for a while: many messages, patients and prescriptions like the first.
  const numbered = `from generate_series(1, ${ROWS}) as n`;
  for (const text of [
    `insert into intake_message (account_id, format, sender, sender_message_id, receiver, body_hash, body_sealed,
      received_at, state, kind, outcome, for_account_id, answer_sealed, processed_at)
    select account_id, format, sender, 'P-1-' || n, receiver, body_hash, body_sealed, received_at, state, kind, outcome,
      for_account_id, answer_sealed, processed_at
    ${numbered}, intake_message`,
    `insert into patient (account_id, patient_key, id_sealed, id_index, record_sealed, name_dob_index, phone_index,
      created_at, updated_at)
    select account_id, n, id_sealed, decode(md5('i' || n), 'hex'), record_sealed, decode(md5(n::text), 'hex'),
      decode(md5('p' || n), 'hex'),
      created_at, updated_at
    ${numbered}, patient`,
    `insert into prescription (account_id, patient_key, acceptance, source, intake_message_id, sender, sender_message_id,
      prescriber_order_number, written_sealed, received_at, expires_at, written_date, effective_date, drug_name,
      written_qty, refills, drug_schedule, daw, details_sealed)
    select account_id, n, acceptance, source, intake_message_id, sender, 'P-1-' || n, 'copy-' || n,
      written_sealed, received_at, expires_at, written_date, effective_date, drug_name, written_qty, refills,
      drug_schedule, daw, details_sealed
    ${numbered}, prescription`,
    "analyze",
  ]) {
    await app.deps.db.raw(text);
  }
});
afterAll(() => app.stop());

const changes = {
  "a new prescription of a known patient": newMessage({ envelope: { message_id: "P-2" } }),
  "a new prescription of a new patient": newMessage({
    envelope: { message_id: "P-3" },
    patient: { ids: [], last_name: "Nobody Yet", phone: "9165550199" },
  }),
  "a cancel": newMessage({
    envelope: { message_id: "P-4", relates_to_message_id: "P-1", prescriber_order_number: null },
    content: {
      kind: "cancel",
      discontinue: false,
      target: { patient: null, prescriber_npi: null, drug_description: null, drug_codes: [], written_date: null },
    },
  }),
};

for (const [name, body] of Object.entries(changes)) {
  test(`${name} reads a few rows, regardless of the number of rows`, async () => {
    const { client_id } = app.demo.intake;
    const [caller] = (
      await app.deps.db.raw("select account_id, credential_id from credential where $1 like '%' || credential_id", [
        client_id,
      ])
    ).rows as { account_id: string; credential_id: string }[];
    const many = await rowsRead(app.deps.db, async (tx) => {
      const deps = { ...app.deps, db: tx };
      const { answer } = await receivePrescription(deps, scriptFormat, caller!, body);
      expect(answer).toMatch(/<Code>010<|<Approved>/);
    });
    expect(many.length).toBeGreaterThan(3);
    expect(
      many.reduce((sum, { rows }) => sum + rows, 0),
      JSON.stringify(many),
    ).toBeLessThan(MOST_ROWS);
  });
}
