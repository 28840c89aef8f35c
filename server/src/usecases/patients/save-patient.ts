import type { Tx } from "../../db/db.ts";
import { lockPatient, savePatient } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import type { PatientRecord } from "../../domain/patients/patient-record.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { openRecord, patientRow } from "./patient-rows.ts";

/** Which patient, by whom it is asked. */
export type PatientKey = { account_id: string; patient_id: string };

/**
 * Changes one patient under its lock: 404 where the account has none of that id, then whatever the decision refuses,
 * then one save. Where nothing differs, nothing is written and `updated_at` stays. `today` is the account's own day.
 */
export async function changePatient<Outcome extends { record: PatientRecord }>(
  deps: Deps,
  tx: Tx,
  { account_id, patient_id }: PatientKey,
  now: Date,
  decide: (record: PatientRecord, today: string) => Outcome,
): Promise<Outcome & { created_at: Date; updated_at: Date }> {
  const row = await lockPatient(tx, account_id, patient_id);
  if (row === undefined) throw new StatusRefusal(404);
  const account_now = accountNow(now, row.clock_offset_s);
  const before = openRecord(deps, account_id, patient_id, row.record_sealed);
  const outcome = decide(before, dateIn(deps.config.TIME_ZONE, account_now));
  const { created_at } = row;
  const unchanged = JSON.stringify(outcome.record) === JSON.stringify(before);
  // Whoever waited for the lock may have come first: time still does not go back.
  const updated_at = unchanged || account_now < row.updated_at ? row.updated_at : account_now;
  if (!unchanged) await savePatient(tx, patientRow(deps, account_id, patient_id, outcome.record, updated_at));
  return { ...outcome, created_at, updated_at };
}
