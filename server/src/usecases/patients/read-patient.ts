import type { Patient } from "@pestle/contract";
import { loadPatient } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import { patientAnswer } from "../../domain/patients/patient-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import type { PatientKey } from "./change-patient.ts";
import { openRecord } from "./patient-rows.ts";

/** A patient as partners see it; undefined if the account has no patient with that id. */
export async function readPatient(deps: Deps, { account_id, patient_id }: PatientKey): Promise<Patient | undefined> {
  return withKeysOfNow(deps, async () => {
    const row = await loadPatient(deps.db, account_id, patient_id);
    return row && patientAnswer(patient_id, openRecord(deps, account_id, patient_id, row.record_sealed), row);
  });
}
