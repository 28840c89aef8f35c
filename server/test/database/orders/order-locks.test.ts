import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tx } from "../../../src/db/db.ts";
import { orderOf, post, prescribed } from "../../support/orders.ts";
import { addPatient, goodDocument, stranger } from "../../support/patient.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";

let app: TestApp;
let account_id: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  ({ account_id } = app.demo.partners[0]!);
});
afterAll(() => app.stop());

const SKUS = ["atorvastatin-20", "finasteride-1"] as const;

/** An order of two prescriptions that also changes the patient's record: it locks a row of every kind. */
async function orderOfTwo() {
  const known = stranger();
  const added = [
    await addPatient(app, { patient: known, prescription: prescribed(SKUS[0], 90) }),
    await addPatient(app, { patient: known, prescription: prescribed(SKUS[1], 90) }),
  ].sort((a, b) => a.prescription_id - b.prescription_id);
  const { patient_id } = added[0]!;
  // The higher id comes first, so that the lock order differs from the order in the body.
  const items = [...added].reverse().map((one) => orderOf(one).items[0]);
  const body = { ...orderOf(added[0]!), patient: { patient_id, identity_documents: [goodDocument] }, items };
  return { body, patient_id, prescription_ids: added.map(({ prescription_id }) => prescription_id) };
}

const rowsThat = {
  patient: "select from patient where account_id = $1 and patient_key = $2",
  prescription: "select from prescription where account_id = $1 and prescription_id = $2",
  stock: "select from stock where account_id = $1 and sku = $2",
};
const lock = (tx: Tx, table: keyof typeof rowsThat, key: unknown) =>
  tx.raw(`${rowsThat[table]} for update`, [account_id, key]);
/** Whether no transaction has locked the row. */
const free = async (table: keyof typeof rowsThat, key: unknown) =>
  (await app.deps.db.raw(`${rowsThat[table]} for update skip locked`, [account_id, key])).count === 1;
const waiting = async () =>
  (
    await app.deps.db.raw(`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%save_order(%'`)
  ).count === 1;

/** In the order of their locks. */
async function rowsOfOrder() {
  const { body, patient_id, prescription_ids } = await orderOfTwo();
  const rows: (readonly [table: keyof typeof rowsThat, key: unknown])[] = [
    ["patient", await patientKeyOf(app, account_id, patient_id)],
    ["prescription", prescription_ids[0]],
    ["prescription", prescription_ids[1]],
    ["stock", SKUS[0]],
    ["stock", SKUS[1]],
  ];
  return { body, rows };
}

for (const [at, name] of [
  "the patient",
  "a prescription",
  "the next prescription",
  "a shelf",
  "the next shelf",
].entries()) {
  test(`an order that waits for ${name} has locked the rows before it, and none after it`, async () => {
    const { body, rows } = await rowsOfOrder();
    let answer: ReturnType<typeof post> | undefined;
    const found = await app.deps.db.transaction(async (tx) => {
      await lock(tx, ...rows[at]!);
      answer = post(app, body);
      await until(waiting, "the order waits for the row", 60_000);
      const others: boolean[] = [];
      for (const [index, row] of rows.entries()) if (index !== at) others.push(await free(...row));
      return others;
    });
    expect(found).toEqual(rows.flatMap((_, index) => (index === at ? [] : [index > at])));
    expect((await answer!).status).toBe(201);
  });
}
