import { type PatientField, patientFieldNames } from "@pestle/contract";
import type { PatientRecord } from "../patients/patient-record.ts";
import { safetyAnswer } from "../patients/safety-record.ts";
import { type MadeEvent, madeEvent } from "./made-event.ts";

/** The event about a changed patient; null if the partner sees no difference, as in the body weight. */
export function patientUpdated(
  patient_id: string,
  before: PatientRecord,
  after: PatientRecord,
  now: Date,
  event_id: () => string,
): MadeEvent | null {
  if (before === after) return null;
  const changed = changedFields(before, after);
  return changed.length === 0 ? null : madeEvent("PATIENT_UPDATED", { patient_id, changed }, now, event_id());
}

/** The names of the fields whose values differ for the partner. */
export const changedFields = (before: PatientRecord, after: PatientRecord): PatientField[] =>
  patientFieldNames.filter((name) => shown(before, name) !== shown(after, name));

/** Documents with their whole number: a new number can look the same when it is masked. */
const shown = (record: PatientRecord, name: PatientField) =>
  JSON.stringify(name === "patient_safety" ? safetyAnswer(record.patient_safety) : record[name]);
