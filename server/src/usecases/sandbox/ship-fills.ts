import { listOpenFills } from "../../db/schedules/due-schedules.ts";
import type { Deps } from "../../deps.ts";
import { RequestProblems } from "../../domain/values/refusals.ts";
import { someAtOnce } from "../operations/some-at-once.ts";
import { transact } from "../write.ts";
import { playOrder } from "./simulate-order.ts";

/**
 * Plays the pharmacy while the clock moves: ships the orders that refill schedules made. Without it the next fill would
 * find the last one unshipped. A held order stays where it is.
 */
export async function shipFills(deps: Deps, account_id: string): Promise<void> {
  await someAtOnce(await listOpenFills(deps.db, account_id), async ({ order_number }) => {
    try {
      await transact(deps, (tx) => playOrder({ ...deps, db: tx }, account_id, { order_number, to: "Shipped" }));
    } catch (error) {
      // A person changed the order meanwhile, or has claimed it.
      if (!(error instanceof RequestProblems)) throw error;
    }
  });
}
