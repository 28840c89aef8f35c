import type { Tx } from "../db/db.ts";
import type { Deps } from "../deps.ts";
import { withoutShippingAddress } from "../domain/patient-changes.ts";
import { StatusRefusal } from "../domain/refusals.ts";
import { changePatient, type PatientKey } from "./change-patient.ts";

/** Orders and prescriptions keep the address they were made with; this is about what the next one may use. */
export async function removeShippingAddress(
  deps: Deps,
  tx: Tx,
  patient: PatientKey,
  address_id: number,
  now: Date,
): Promise<void> {
  await changePatient(deps, tx, patient, now, (before) => {
    const record = withoutShippingAddress(before, address_id);
    if (record === undefined) throw new StatusRefusal(404);
    return { record };
  });
}
