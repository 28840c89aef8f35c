import { type BulkRequest, type BulkResult, type DashboardOrderRow, MOST_BULK_ORDERS } from "@pestle/contract";
import { ApiError, api } from "../app/api.ts";

export type BulkOutcome = { done: number; refused: BulkResult[] };

/** Each order that is shipped asks the carrier and the card: so few of them that an answer comes in time. */
const MOST_SHIPPED = 20;

/**
 * Sends as many at once as are allowed, one batch after the other. `sent` hears how far it has come. What became of the
 * batches before one that failed is told all the same, and so is that one.
 */
export async function sendBulk(
  asked: Omit<BulkRequest, "orders">,
  orders: readonly DashboardOrderRow[],
  sent: (count: number) => void,
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: 0, refused: [] };
  const most = asked.event === "ship" ? MOST_SHIPPED : MOST_BULK_ORDERS;
  for (let at = 0; at < orders.length; at += most) {
    const batch = orders
      .slice(at, at + most)
      .map(({ account_id, order_number, revision }) => ({ account_id, order_number, revision }));
    const body: BulkRequest = { ...asked, orders: batch };
    try {
      const { done, results } = await api("/dashboard/bulk", { method: "POST", body });
      outcome.done += done;
      outcome.refused.push(...results.filter((one) => !one.done));
    } catch (error) {
      const message = failureText(error);
      outcome.refused.push(...batch.map((one) => ({ ...one, done: false, key: null, message })));
    }
    sent(at + batch.length);
  }
  return outcome;
}

/** The request's number is what somebody else finds it by. */
function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return "It is not known whether this was done: open the order.";
  if (error.status === 0) return `${error.message} Open the order to see whether it was done.`;
  return error.request_id === null ? error.message : `${error.message} (Request ${error.request_id})`;
}
