import {
  type BulkAnswer,
  type BulkRequest,
  type BulkResult,
  type DashboardOrderRow,
  MOST_BULK_ORDERS,
} from "@pestle/contract";
import { api } from "../app/api.ts";

export type BulkOutcome = { done: number; refused: BulkResult[] };

/** Sends as many at once as are allowed, one batch after the other. `sent` hears how far it has come. */
export async function sendBulk(
  asked: Omit<BulkRequest, "orders">,
  orders: readonly DashboardOrderRow[],
  sent: (count: number) => void,
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: 0, refused: [] };
  for (let at = 0; at < orders.length; at += MOST_BULK_ORDERS) {
    const batch = orders
      .slice(at, at + MOST_BULK_ORDERS)
      .map(({ account_id, order_number, revision }) => ({ account_id, order_number, revision }));
    const body: BulkRequest = { ...asked, orders: batch };
    const { done, results } = await api<BulkAnswer>("/dashboard/bulk", { method: "POST", body });
    outcome.done += done;
    outcome.refused.push(...results.filter((one) => !one.done));
    sent(at + batch.length);
  }
  return outcome;
}
