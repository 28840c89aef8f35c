import type { PostageLine, StaffRole } from "@pestle/contract";
import type { Queryable } from "../../../db/db.ts";
import { listAdjustments, listPostageCosts } from "../../../db/fulfillment/postage.ts";

/** What labels cost is the business of those who lead. */
const SEE_COSTS: readonly StaffRole[] = ["lead", "admin"];

/** What the labels of an order cost the pharmacy; null for roles that do not see it. */
export async function readPostage(
  db: Queryable,
  role: StaffRole,
  account_id: string,
  order_number: string,
): Promise<PostageLine[] | null> {
  if (!SEE_COSTS.includes(role)) return null;
  const costs = await listPostageCosts(db, account_id, order_number);
  const adjustments = costs.length === 0 ? [] : await listAdjustments(db, account_id, order_number);
  return costs.map(({ postage_id, made_at, ...line }) => ({
    ...line,
    at: made_at.toISOString(),
    adjustments: adjustments
      .filter((one) => one.postage_id === postage_id)
      .map(({ at, amount_cents, reason }) => ({ at: at.toISOString(), amount_cents, reason })),
  }));
}
