import { type CounselingFill, counselingRuleOf, counselingStateOf } from "@pestle/contract";
import type { CounselingRow } from "../../../db/fulfillment/counseling.ts";
import type { Deps } from "../../../deps.ts";
import { initials } from "../../../domain/patients/masked-patient.ts";
import { openRecord } from "../../patients/patient-rows.ts";

/** A fill as the list shows it: without name, phone number and notes. */
export function counselingFill(deps: Pick<Deps, "vault">, row: CounselingRow): CounselingFill {
  const { account_id, patient_key, record_sealed, clock_offset_s: _, shipped_at, entries, ...shown } = row;
  const { by_mail, says, source, fills } = counselingRuleOf(row.ship_state);
  return {
    ...shown,
    account_id,
    patient_initials: initials(openRecord(deps, account_id, patient_key, record_sealed)),
    shipped_at: shipped_at.toISOString(),
    state: counselingStateOf(
      { by_mail, says, source, fills },
      entries.map(({ outcome }) => outcome),
    ),
    rule: { by_mail, says, source },
    entries: entries.map(({ note_sealed, at, ...entry }) => ({
      ...entry,
      at: new Date(at).toISOString(),
      has_note: note_sealed !== null,
    })),
  };
}
