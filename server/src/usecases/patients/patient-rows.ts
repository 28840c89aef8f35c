import { patientIdPlace, patientIndexPlace, recordPlace } from "../../db/patients/patients.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import type { IncomingPatient } from "../../domain/intake/incoming-message.ts";
import { type PatientRecord, searchKeys, upgradedRecord } from "../../domain/patients/patient-record.ts";
import { personKeys } from "../../domain/patients/person-keys.ts";

/** The part of the vault that these rows need. A rotation of the index key passes its new indexes. */
type Sealing = { vault: Pick<Deps["vault"], "seal" | "open" | "blindIndex"> };
type Indexing = { vault: Pick<Deps["vault"], "blindIndex"> };
type Searching = { vault: Pick<Deps["vault"], "blindIndex" | "layeredIndex"> };

/** A patient's row, without the columns that the statement sets. */
export function patientRow(deps: Sealing, account_id: string, patient_key: number, record: PatientRecord, now: Date) {
  return {
    account_id,
    patient_key,
    record_sealed: bytes(deps.vault.seal(Buffer.from(JSON.stringify(record)), recordPlace(account_id, patient_key))),
    ...recordIndexes(deps, account_id, record),
    updated_at: now,
  };
}

/** The blind indexes of a patient's record. */
export function recordIndexes(deps: Indexing, account_id: string, record: PatientRecord) {
  const index = (name: keyof typeof searchKeys, text: string) => bytes(searchIndex(deps, account_id, name, text));
  return {
    name_dob_index: index("name_dob", searchKeys.name_dob(record)),
    email_index: record.email === null ? null : index("email", searchKeys.email(record.email)),
    phone_index: record.phone === null ? null : index("phone", searchKeys.phone(record.phone)),
    person_keys: personIndexes(deps, record).map(bytes),
  };
}

/** The blind indexes by which staff search for part of what `name_dob_index` has. They never change after the insert. */
export const nameIndexes = (
  deps: Indexing,
  account_id: string,
  { last_name, dob }: Pick<PatientRecord, "last_name" | "dob">,
) => ({
  surname_index: bytes(searchIndex(deps, account_id, "surname", searchKeys.surname(last_name))),
  dob_index: bytes(searchIndex(deps, account_id, "dob", dob)),
});

/** The blind index that finds a patient by the partner's id. */
export const patientIndex = ({ vault }: Indexing, account_id: string, patient_id: string): Buffer =>
  vault.blindIndex(patient_id, patientIndexPlace(account_id));

/** The partner's id, as a new patient's row holds it. */
export const patientIdColumns = (deps: Sealing, account_id: string, patient_key: number, patient_id: string) => ({
  id_sealed: bytes(deps.vault.seal(Buffer.from(patient_id), patientIdPlace(account_id, patient_key))),
  id_index: bytes(patientIndex(deps, account_id, patient_id)),
});

/** The partner's id of a patient. `id_sealed` is in base64 if it comes in JSON. */
export const openPatientId = (
  { vault }: Sealing,
  account_id: string,
  { patient_key, id_sealed }: { patient_key: number; id_sealed: Buffer | string },
): string => {
  const sealed = typeof id_sealed === "string" ? Buffer.from(id_sealed, "base64") : id_sealed;
  return vault.open(sealed, patientIdPlace(account_id, patient_key)).toString("utf8");
};

/** The same for a row that may have no patient. */
export const openAnyPatientId = (
  deps: Sealing,
  account_id: string,
  { patient_key, id_sealed }: { patient_key: number | null; id_sealed: Buffer | null },
): string | null =>
  patient_key === null || id_sealed === null ? null : openPatientId(deps, account_id, { patient_key, id_sealed });

/** The same in all accounts, so that the pharmacy recognizes one person at two partners. */
export const personIndexes = (deps: Indexing, record: PatientRecord): Buffer[] =>
  personKeys(record).map((text) => deps.vault.blindIndex(text, "person_link.person_key"));

/** The blind index of a `searchKeys` text. Each account has its own, so equal texts do not link accounts. */
export const searchIndex = (deps: Indexing, account_id: string, name: keyof typeof searchKeys, text: string) =>
  deps.vault.blindIndex(text, `patient.${name} ${account_id}`);

export const openRecord = (
  deps: Sealing,
  account_id: string,
  patient_key: number,
  record_sealed: Buffer,
): PatientRecord =>
  upgradedRecord(JSON.parse(deps.vault.open(record_sealed, recordPlace(account_id, patient_key)).toString("utf8")));

export function blindIndexes(deps: Searching, account_id: string, sender: string, patient: IncomingPatient | null) {
  const { vault } = deps;
  const { first_name, last_name, dob } = patient ?? { first_name: null, last_name: null, dob: null };
  const named = first_name !== null && last_name !== null && dob !== null;
  return {
    alias_indexes: (patient?.ids ?? []).map(({ kind, value }) =>
      vault.layeredIndex(`${sender} ${kind} ${value}`, `patient_alias ${account_id}`),
    ),
    name_dob_index: named
      ? searchIndex(deps, account_id, "name_dob", searchKeys.name_dob({ first_name, last_name, dob }))
      : null,
    phone_index:
      patient?.phone == null ? null : searchIndex(deps, account_id, "phone", searchKeys.phone(patient.phone)),
  };
}
