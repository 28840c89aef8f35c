import type { Config } from "../../config.ts";
import type { Database } from "../../db/db.ts";
import { insertPartialFillRequest, loadForPartialFill, partialFillPlace } from "../../db/fulfillment/partial-fills.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import type { Vault } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requirePharmacist } from "../intake/require-reviewer.ts";
import { checkedNote } from "../operations/checked-note.ts";
import { transact } from "../write.ts";

export const partialFillRequesters = ["patient", "prescriber"] as const;
export type PartialFillRequester = (typeof partialFillRequesters)[number];

/**
 * A pharmacist records that the patient or the prescriber requested a partial fill of a schedule 2 prescription. The
 * rest can then ship until 30 days after the written date (21 CFR 1306.13(b)) instead of for 72 hours.
 */
export async function requestPartialFill(
  deps: { db: Database; vault: Vault; config: Pick<Config, "TIME_ZONE"> },
  given: {
    account_id: string;
    prescription_id: number;
    requested_by: PartialFillRequester;
    note: string;
    email: string;
  },
  real_now: Date,
): Promise<{ account_id: string; prescription_id: number; requested_by: PartialFillRequester }> {
  const { account_id, prescription_id, requested_by, email } = given;
  const note = checkedNote(given.note);
  return transact(deps, async (tx) => {
    const { person_id } = await requirePharmacist(tx, email, dateIn(deps.config.TIME_ZONE, real_now));
    const prescription = await loadForPartialFill(tx, account_id, prescription_id);
    if (prescription === undefined) throw new AdminRefusal("There is no such prescription in this account.");
    if (prescription.drug_schedule !== "2") {
      throw new AdminRefusal("Only a schedule 2 prescription needs a recorded request for a partial fill.");
    }
    if (!prescription.active) throw new AdminRefusal("The prescriber has ended this prescription.");
    const recorded_at = accountNow(real_now, prescription.clock_offset_s);
    const note_sealed = deps.vault.seal(Buffer.from(note), partialFillPlace(account_id, prescription_id));
    const row = { account_id, prescription_id, requested_by, note_sealed, recorded_by: person_id, recorded_at };
    if ((await insertPartialFillRequest(tx, row)) === 0) {
      throw new AdminRefusal("A request for a partial fill is already on record.");
    }
    return { account_id, prescription_id, requested_by };
  });
}
