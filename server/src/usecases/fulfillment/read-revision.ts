import type { OrderRevision } from "@pestle/contract";
import { findLastChange } from "../../db/fulfillment/order-page.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";

/** Whether an order that a person has open has changed, and who changed it. */
export async function readRevision(
  { db, now }: Pick<Deps, "db" | "now">,
  person_id: string,
  account_id: string,
  order_number: string,
): Promise<OrderRevision> {
  const last = await findLastChange(db, account_id, order_number, now());
  if (last === undefined) throw new StatusRefusal(404);
  return {
    revision: last.revision,
    changed_at: last.at.toISOString(),
    changed_by: last.name,
    changed_as: last.actor,
    by_me: last.person_id === person_id,
    claimed_by: last.claimed_by,
  };
}
