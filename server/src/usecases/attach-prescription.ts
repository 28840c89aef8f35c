import { findWaitingItem } from "../db/due-prescriptions.ts";
import { loadPrescriptionFact } from "../db/prescriptions.ts";
import type { Deps } from "../deps.ts";
import { system } from "../domain/order.ts";
import { replacePrescription } from "../domain/replace-prescription.ts";
import { withKeysOfNow } from "../vault/vault.ts";
import { changeOrder } from "./change-order.ts";
import { loadChangingOrder } from "./load-changing-order.ts";

const MISSING_RX = 73;

/**
 * An order that waits for a prescription (exception 73) takes it when it arrives, and no second order is made of it.
 * False where no order waits for this one.
 */
export async function attachPrescription(deps: Deps, account_id: string, prescription_id: number): Promise<boolean> {
  const waiting = await findWaitingItem(deps.db, account_id, prescription_id);
  if (waiting === undefined) return false;
  return withKeysOfNow(deps, async () => {
    const loaded = await loadChangingOrder(deps, deps.db, account_id, waiting.order_number);
    const prescription = (await loadPrescriptionFact(deps.db, account_id, prescription_id)) ?? null;
    if (!loaded.standing.open.includes(MISSING_RX)) return false;
    const decided = replacePrescription({ changing: loaded, rules: loaded.rules, prescription }, MISSING_RX);
    if ("problems" in decided) return false;
    await changeOrder(deps, deps.db, loaded, decided.outcome, { actor: system });
    return true;
  });
}
