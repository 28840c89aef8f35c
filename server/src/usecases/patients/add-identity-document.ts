import type { IdentityDocument } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { readIdentityDocument } from "../../domain/patients/identity-document.ts";
import { withIdentityDocument } from "../../domain/patients/patient-changes.ts";
import { documentAnswer } from "../../domain/patients/patient-record.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { changePatient, type PatientKey } from "./save-patient.ts";

/** Adds a document to a patient, or renews the one on file. The answer shows no more of its number than any other. */
export async function addIdentityDocument(
  deps: Deps,
  tx: Tx,
  patient: PatientKey,
  sent: SentFields,
  now: Date,
): Promise<IdentityDocument> {
  const changed = await changePatient(deps, tx, patient, now, (record, today) => {
    const { document, problems } = readIdentityDocument(sent, today);
    refuseAll(problems);
    return withIdentityDocument(record, document!, today);
  });
  return documentAnswer(changed.document);
}
