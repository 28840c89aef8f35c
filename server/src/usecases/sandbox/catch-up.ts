import type { Deps } from "../../deps.ts";
import { trackShipments } from "../fulfillment/track-shipments.ts";
import { fillDue } from "../intake/order-due-prescriptions.ts";
import { fillBackOrders } from "../orders/fill-back-orders.ts";

/** Runs an account's due work at once instead of waiting for the jobs. The jobs retry whatever fails here. */
export async function catchUp(deps: Deps, account_id: string): Promise<void> {
  for (const work of [trackShipments, fillBackOrders, fillDue]) {
    try {
      await work(deps, account_id);
    } catch (error) {
      deps.log.warn({ fault: (error as Error).name }, "due sandbox work failed and waits for the next job run");
    }
  }
}
