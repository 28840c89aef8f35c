import type { Order } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { type Actor, isOpen } from "../../domain/orders/order.ts";
import { cancelOutcome } from "../../domain/orders/order-actions.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { loadChangingOrder } from "./load-order.ts";
import { recheckDuplicates } from "./recheck-orders.ts";
import { changeOrder } from "./save-change.ts";

/** Cancels an order that has not shipped: returns its units and stock and voids the authorization. */
export async function cancelOrder(
  deps: Deps,
  db: Database,
  { account_id, order_number, actor }: { account_id: string; order_number: string; actor: Actor },
): Promise<Order> {
  const loaded = await loadChangingOrder(deps, db, account_id, order_number);
  if (!isOpen(loaded.standing)) refuse(42463, "event");
  const { order } = await changeOrder(deps, db, loaded, cancelOutcome(loaded), { actor });
  await recheckDuplicates({ ...deps, db }, account_id, order_number, actor);
  return order;
}
