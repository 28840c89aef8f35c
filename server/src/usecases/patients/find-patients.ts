import type { Patient } from "@pestle/contract";
import { findPatients as findRows } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import { type PatientRecord, patientAnswer, searchKeys } from "../../domain/patients/patient-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openRecord, searchIndex } from "./patient-rows.ts";

/** Matches the exact value, ignoring case and punctuation. */
export type PatientQuestion =
  | { email: string }
  | { phone: string }
  | Pick<PatientRecord, "first_name" | "last_name" | "dob">;

/** The account's matching patients, newest first. The database sees only blind indexes and sealed records. */
export async function findPatients(deps: Deps, account_id: string, asked: PatientQuestion): Promise<Patient[]> {
  const [by, text] = searchOf(asked);
  return withKeysOfNow(deps, async () => {
    const rows = await findRows(deps.db, account_id, by, searchIndex(deps, account_id, by, text));
    return rows.map((row) =>
      patientAnswer(row.patient_id, openRecord(deps, account_id, row.patient_id, row.record_sealed), row),
    );
  });
}

function searchOf(asked: PatientQuestion): [keyof typeof searchKeys, string] {
  if ("email" in asked) return ["email", searchKeys.email(asked.email)];
  if ("phone" in asked) return ["phone", searchKeys.phone(asked.phone)];
  return ["name_dob", searchKeys.name_dob(asked)];
}
