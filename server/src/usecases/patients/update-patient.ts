import { type Patient, PatientUpdate } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { withContact } from "../../domain/patients/patient-changes.ts";
import { patientAnswer } from "../../domain/patients/patient-record.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { changePatient, type PatientKey } from "./save-patient.ts";

/** Changes what was sent and leaves the rest; names and the birth date are the prescriber's. */
export async function updatePatient(
  deps: Deps,
  tx: Tx,
  patient: PatientKey,
  sent: SentFields,
  now: Date,
): Promise<Patient> {
  const { fields, problems } = readBody(PatientUpdate, sent);
  const changed = await changePatient(deps, tx, patient, now, (record) => {
    refuseAll(problems);
    return { record: withContact(record, fields) };
  });
  return patientAnswer(patient.patient_id, changed.record, changed);
}
