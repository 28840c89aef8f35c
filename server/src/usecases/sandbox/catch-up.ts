import type { Deps } from "../deps.ts";
import { fillBackOrders } from "./fill-back-orders.ts";
import { fillDue } from "./fill-due.ts";
import { trackShipments } from "./track-shipments.ts";

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
