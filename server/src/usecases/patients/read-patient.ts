import type { Patient } from "@pestle/contract";
import { loadPrescriptions } from "../../db/intake/prescriptions.ts";
import { loadPatient } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import { patientAnswer } from "../../domain/patients/patient-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openWritten } from "../intake/written.ts";
import type { PatientKey } from "./change-patient.ts";
import { openRecord } from "./patient-rows.ts";

/** A patient as partners see it; undefined if the account has no patient with that id. */
export async function readPatient(deps: Deps, { account_id, patient_id }: PatientKey): Promise<Patient | undefined> {
  return withKeysOfNow(deps, async () => {
    const row = await loadPatient(deps.db, account_id, patient_id);
    return row && patientAnswer(patient_id, openRecord(deps, account_id, patient_id, row.record_sealed), row);
  });
}

/** All prescriptions of a patient, newest first; undefined if there is no such patient. */
export async function readPrescriptions(deps: Deps, account_id: string, patient_id: string, active: boolean | null) {
  return withKeysOfNow(deps, async () => {
    const found = await loadPrescriptions(deps.db, account_id, patient_id, active);
    return (
      found && {
        workflow: found.workflow,
        prescriptions: found.prescriptions.map((row) => openWritten(deps.vault, account_id, row)),
      }
    );
  });
}
