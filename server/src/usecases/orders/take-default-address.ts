import { listOrdersOfPatientHeldBy } from "../../db/orders/rechecks.ts";
import type { Deps } from "../../deps.ts";
import { ENDED_BY_DEFAULT, takeDefaultAddress } from "../../domain/orders/decide-address-change.ts";
import type { Actor } from "../../domain/orders/order.ts";
import { write } from "../write.ts";
import { loadChangingOrder } from "./load-order.ts";
import { changeOrder } from "./save-change.ts";

const MOST_AT_ONCE = 100;

/** Ships the orders that an address holds to the patient's new default address, where that ends the hold. */
export async function readdressHeld(
  deps: Deps,
  { account_id, patient_key }: { account_id: string; patient_key: number },
  judged: Parameters<typeof takeDefaultAddress>[0],
  actor: Actor,
): Promise<void> {
  const held = await listOrdersOfPatientHeldBy(deps.db, account_id, patient_key, ENDED_BY_DEFAULT, MOST_AT_ONCE);
  for (const { order_number } of held) {
    await write(deps, {
      transaction: "on_retry",
      attempt: async (db) => {
        const loaded = await loadChangingOrder(deps, db, account_id, order_number);
        const outcome = takeDefaultAddress(judged, loaded, loaded.rules);
        if (outcome !== null) await changeOrder(deps, db, loaded, outcome, { actor });
      },
    });
  }
}
