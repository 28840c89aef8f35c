import type { Order } from "@pestle/contract";
import type { Queryable } from "../db/db.ts";
import type { Deps } from "../deps.ts";
import { isOpen } from "../domain/decide-address-change.ts";
import { refuse, StatusRefusal } from "../domain/refusals.ts";
import { changeOrder } from "./change-order.ts";
import { accountNow } from "./move-clock.ts";
import { loadStoredOrder } from "./read-orders.ts";

/** Ends an order that has not shipped: units and stock are given back, the authorisation is void. */
export async function cancelOrder(
  deps: Deps,
  db: Queryable,
  { account_id, order_number, actor }: { account_id: string; order_number: string; actor: string },
): Promise<Order> {
  const loaded = await loadStoredOrder(deps, account_id, order_number, db);
  if (loaded === undefined) throw new StatusRefusal(404);
  if (!isOpen(loaded.standing)) refuse(42463, "event");
  return changeOrder(db, account_id, loaded, {
    order: { payment_status: "voided" },
    open: "canceled",
    columns: { payment_status: "voided" },
    actor,
    now: accountNow(deps.now(), loaded.clock_offset_s),
  });
}
