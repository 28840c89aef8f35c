import type { Deps } from "../../deps.ts";
import { trackShipments } from "../fulfillment/track-shipments.ts";
import { fillDue } from "../intake/order-due-prescriptions.ts";
import { fillBackOrders } from "../orders/fill-back-orders.ts";

/** Does for one account what is due by its clock, without waiting for the jobs. They do what fails here. */
export async function catchUp(deps: Deps, account_id: string): Promise<void> {
  for (const work of [trackShipments, fillBackOrders, fillDue]) {
    try {
      await work(deps, account_id);
    } catch (error) {
      deps.log.warn({ fault: (error as Error).name }, "what is due in the sandbox has to wait");
    }
  }
}
