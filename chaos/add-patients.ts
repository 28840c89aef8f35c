import type { Database } from "../server/src/db/db.ts";
import { detailsPlace } from "../server/src/db/patients/patients.ts";
import { bytes } from "../server/src/db/values.ts";
import type { IncomingPrescription } from "../server/src/domain/intake/incoming-message.ts";
import { decidePrescription, type Prescription } from "../server/src/domain/intake/prescription.ts";
import { newPatientRecord, type PatientRecord } from "../server/src/domain/patients/patient-record.ts";
import { emptySafety, withLists } from "../server/src/domain/patients/safety-record.ts";
import { dateIn } from "../server/src/domain/values/calendar.ts";
import { randomPatientKey } from "../server/src/random.ts";
import type { products } from "../server/src/seed/cast.ts";
import { sealWritten, writtenFields } from "../server/src/usecases/intake/written.ts";
import { nameIndexes, patientIdColumns, patientRow } from "../server/src/usecases/patients/patient-rows.ts";
import type { Vault } from "../server/src/vault/vault.ts";
import { prescription as sample } from "../server/test/support/samples/script-samples.ts";

/** What a prescription names. A product of the cast qualifies. */
export type Prescribed = Pick<(typeof products)[number], "name" | "ndc" | "gcn" | "drug_schedule">;

/** A patient with prescriptions that intake accepts without review. */
export type NewPatient = {
  patient_id: string;
  /** The surrogate key; random if absent. */
  patient_key?: number;
  /** Overrides for the patient's details. */
  record?: Partial<PatientRecord>;
  prescriptions: {
    prescription_id: number;
    product: Prescribed;
    written_qty: number;
    refills: number;
    units_ordered?: number;
    /** Overrides for the prescription. */
    written?: Partial<IncomingPrescription>;
  }[];
};

const ROWS_AT_ONCE = 2_000;
const PATIENT_COLUMNS =
  "account_id, patient_key, id_sealed, id_index, record_sealed, name_dob_index, surname_index, dob_index, email_index, phone_index, created_at, updated_at";

/** Adds thousands of patients without calling intake. The rows equal those that intake would write for a message. */
export async function addPatients(
  { db, vault }: { db: Database; vault: Vault },
  account_id: string,
  patients: readonly NewPatient[],
): Promise<void> {
  const now = new Date();
  const prescriptionRow = rowMaker(vault, account_id, now);
  // The patients said that they have none, so that an order with empty lists changes nothing.
  const none = { medications: [], health_conditions: [], allergies: [] };
  const { safety: patient_safety } = withLists(emptySafety, none, { source: "partner", at: now });
  const insert = async (table: "patient" | "prescription", columns: string, rows: Record<string, unknown>[]) => {
    const text = `
      insert into ${table} (${columns})
      select ${columns}
      from jsonb_populate_recordset(null::${table}, $1)`;
    await db.raw(text, [JSON.stringify(rows)]);
  };
  for (let at = 0; at < patients.length; at += ROWS_AT_ONCE) {
    const some = patients.slice(at, at + ROWS_AT_ONCE).map((one) => ({ patient_key: randomPatientKey(), ...one }));
    const people = some.map(({ patient_id, patient_key, record: own }) => {
      const last_name = `Okonkwo ${patient_id}`;
      // Men, because the campaigns order finasteride, which holds an order for a woman.
      const gender = "M" as const;
      const record = { ...newPatientRecord(incoming, now).record, patient_safety, last_name, gender, ...own };
      return {
        ...patientRow({ vault }, account_id, patient_key, record, now),
        ...patientIdColumns({ vault }, account_id, patient_key, patient_id),
        ...nameIndexes({ vault }, account_id, record),
        created_at: now,
      };
    });
    await insert("patient", PATIENT_COLUMNS, people);
    const rows = some.flatMap(({ patient_key, prescriptions }) =>
      prescriptions.map((given) => prescriptionRow(patient_key, given)),
    );
    await insert("prescription", Object.keys(rows[0]!).join(", "), rows);
  }
}

type Given = NewPatient["prescriptions"][number];

const TIME_ZONE = "America/New_York";

/** Written today. */
const incoming: IncomingPrescription = {
  ...sample,
  written_date: null,
  effective_date: null,
  expiration_date: null,
  allergies: [],
};
const { address, phone } = incoming.patient;
const details = Buffer.from(JSON.stringify({ address, phone, note: null, diagnoses: [], allergies: [] }));

/**
 * Makes the same decision as intake, once per distinct prescription: thousands of prescriptions have few distinct
 * texts.
 */
function rowMaker(vault: Vault, account_id: string, now: Date) {
  const decided = new Map<string, Omit<Prescription, "acceptance_reasons">>();
  return (patient_key: number, given: Given): Record<string, unknown> => {
    const { prescription_id, product, written_qty, refills, units_ordered = 0, written } = given;
    const key = JSON.stringify([product.ndc, written_qty, refills, written]);
    const prescription = decided.get(key) ?? decide(given, now);
    decided.set(key, prescription);
    return {
      ...prescription,
      ...Object.fromEntries(writtenFields.map((name) => [name, null])),
      account_id,
      prescription_id,
      patient_key,
      acceptance: "not_needed",
      source: "script",
      intake_message_id: 0,
      sender: "6120042",
      sender_message_id: `prescription ${prescription_id}`,
      units_ordered,
      written_sealed: bytes(sealWritten(vault, { account_id, prescription_id }, prescription)),
      details_sealed: bytes(vault.seal(details, detailsPlace(account_id, prescription_id))),
    };
  };
}

function decide(
  { product, written_qty, refills, written: otherwise }: Given,
  now: Date,
): Omit<Prescription, "acceptance_reasons"> {
  const { name, ndc } = product;
  const written = {
    ...incoming,
    drug: { ...incoming.drug, description: name, codes: [{ system: "ndc" as const, code: ndc! }] },
    quantity: { value: written_qty, unit: "tablet" },
    days_supply: Math.max(1, Math.round(written_qty)),
    refills,
    written_date: dateIn(TIME_ZONE, now),
    ...otherwise,
  };
  const rules = {
    time_zone: TIME_ZONE,
    expiry_months: 12,
    expiry_months_by_state: {},
    schedule_2_days: 90,
    schedule_2_days_by_state: {},
  };
  const { acceptance_reasons, ...prescription } = decidePrescription(written, [product], rules, now).prescription;
  if (acceptance_reasons.length > 0) throw new Error(`doubted: ${acceptance_reasons.join(", ")}`);
  return prescription;
}
