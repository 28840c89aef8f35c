import type { Patient } from "@pestle/contract";
import { findPatients as findRows } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import { type PatientRecord, patientAnswer, searchKeys } from "../../domain/patients/patient-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openRecord, searchIndex } from "./patient-rows.ts";

/** Whom to look for: the exact value, but for case and punctuation. */
export type PatientQuestion =
  | { email: string }
  | { phone: string }
  | Pick<PatientRecord, "first_name" | "last_name" | "dob">;

/** The account's patients that a person may mean, newest first. The database learns neither question nor answer. */
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
