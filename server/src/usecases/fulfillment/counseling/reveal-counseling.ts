import type { RevealedCounseling } from "@pestle/contract";
import { counselingNotePlace, loadCounseling } from "../../../db/fulfillment/counseling.ts";
import type { Deps } from "../../../deps.ts";
import { StatusRefusal } from "../../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { type Looker, writeAudit } from "../../operations/write-audit.ts";
import { openRecord } from "../../patients/patient-rows.ts";
import type { FillPlace } from "./record-counseling.ts";

/** Whom to call, and what colleagues noted. The audit entry is written before the data is returned. */
export async function revealCounseling(
  deps: Deps,
  by: Looker,
  { account_id, order_number, item_id }: FillPlace,
  request_id: string,
): Promise<RevealedCounseling> {
  const fill = await loadCounseling(deps.db, account_id, order_number, item_id);
  if (fill === undefined) throw new StatusRefusal(404);
  const about = { account_id, subject: order_number, patient_keys: [fill.patient_key] };
  await writeAudit(deps, by, { ...about, action: "counseling_revealed" }, request_id);
  return withKeysOfNow(deps, async () => {
    const { first_name, last_name, dob, phone } = openRecord(deps, account_id, fill.patient_key, fill.record_sealed);
    const notes = fill.entries.flatMap(({ entry_number, note_sealed }) => {
      if (note_sealed === null) return [];
      const place = counselingNotePlace(account_id, order_number, item_id, entry_number);
      return { entry_number, note: deps.vault.open(Buffer.from(note_sealed, "base64"), place).toString("utf8") };
    });
    return { first_name, last_name, dob, phone, notes };
  });
}
