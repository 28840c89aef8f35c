import type { Database, Tx } from "../../db/db.ts";
import { loadForVerdict, saveVerdict } from "../../db/intake/acceptance.ts";
import { acceptanceRefusals, decideAcceptance, type Verdict } from "../../domain/intake/decide-acceptance.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { checkedNote } from "../operations/checked-note.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { transact } from "../write.ts";
import { requirePharmacist } from "./require-reviewer.ts";
import { type StatusDeps, statusEvent } from "./status-event.ts";
import { readPrescription } from "./written.ts";

export type AcceptedPrescription = {
  account_id: string;
  prescription_id: number;
  patient_id: string;
  acceptance: Verdict;
  order_due_at: Date | null;
};

/**
 * Saves a pharmacist's verdict on a doubtful prescription and closes the review entry in one change. Of two concurrent
 * verdicts, the second is refused.
 */
export async function acceptPrescription(
  deps: StatusDeps & { db: Database },
  given: { account_id: string; prescription_id: number; verdict: Verdict; email: string; note: string | undefined },
  real_now: Date,
  audit?: (tx: Tx) => Promise<unknown>,
): Promise<AcceptedPrescription> {
  const { account_id, prescription_id, verdict } = given;
  const outcome = given.note === undefined ? verdict : `${verdict}: ${checkedNote(given.note)}`;
  return transact(deps, async (tx) => {
    const { person_id } = await requirePharmacist(tx, given.email, dateIn(deps.config.TIME_ZONE, real_now));
    const prescription = await loadForVerdict(tx, account_id, prescription_id);
    if (prescription === undefined) throw new AdminRefusal("There is no such prescription in this account.");
    const now = accountNow(real_now, prescription.clock_offset_s);
    const documented = given.note !== undefined;
    const decided = decideAcceptance(verdict, prescription, deps.config.TIME_ZONE, now, documented);
    if ("refused" in decided) throw new AdminRefusal(acceptanceRefusals[decided.refused]);
    const { order_due_at } = decided;
    const closed = { resolved_at: now, resolved_by: person_id, outcome };
    const fact = (await readPrescription({ db: tx, vault: deps.vault }, account_id, prescription_id))!;
    const { workflow } = prescription;
    const after = { ...fact, acceptance: verdict };
    const event = await statusEvent(deps, tx, verdict, after, { account_id, workflow, now });
    await saveVerdict(tx, { account_id, prescription_id, verdict, order_due_at, ...closed }, event);
    await audit?.(tx);
    const patient_id = openPatientId(deps, account_id, prescription);
    return { account_id, prescription_id, patient_id, acceptance: verdict, order_due_at };
  });
}
