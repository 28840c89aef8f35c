import type { Patient } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { readContact } from "../../domain/patients/contact-fields.ts";
import { withContact } from "../../domain/patients/patient-changes.ts";
import { patientAnswer } from "../../domain/patients/patient-record.ts";
import { readPatientSafety } from "../../domain/patients/patient-safety.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import { type SentFields, unknownFields } from "../../domain/values/unknown-fields.ts";
import { changePatient, type PatientKey } from "./save-patient.ts";

const contactFields = ["email", "phone", "gender"] as const;

/** Changes what was sent and leaves the rest; names and the birth date are the prescriber's. */
export async function updatePatient(
  deps: Deps,
  tx: Tx,
  patient: PatientKey,
  sent: SentFields,
  now: Date,
): Promise<Patient> {
  const { contact, problems } = readContact(sent, contactFields);
  const { patient_safety = {} } = sent;
  const safety = readPatientSafety(patient_safety, "patient_safety");
  const changed = await changePatient(deps, tx, patient, now, (record) => {
    refuseAll([...unknownFields(sent, [...contactFields, "patient_safety"]), ...problems, ...safety.problems]);
    return { record: withContact(record, { ...contact, patient_safety: safety.patient_safety }) };
  });
  return patientAnswer(patient.patient_id, changed.record, changed);
}
