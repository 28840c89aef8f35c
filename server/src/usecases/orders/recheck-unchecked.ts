import { listUnchecked } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { system } from "../../domain/orders/order.ts";
import { apart } from "../operations/apart.ts";
import { recheckOrder } from "./recheck-orders.ts";

const MOST_AT_ONCE = 500;

/** Checks orders that were held because the safety tables were unusable, and releases the safe ones. */
export async function recheckUnchecked(deps: Deps): Promise<void> {
  if ("unfit" in deps.safety.current()) return;
  for (const { account_id, order_number } of await listUnchecked(deps.db, MOST_AT_ONCE, deps.serves ?? null)) {
    await apart(deps, { account_id, order_number }, () => recheckOrder(deps, account_id, order_number, system));
  }
}
