import { type BulkRequest, type BulkResult, type DashboardOrderRow, MOST_BULK_ORDERS } from "@pestle/contract";
import { ApiError, api } from "../app/api.ts";
import { say } from "../ui/words/say.tsx";

export type BulkOutcome = { done: number; refused: BulkResult[] };

/**
 * Printing and shipping call the carrier, and shipping charges the card for each order, so keep batches small enough to
 * finish before the timeout.
 */
const MOST_SHIPPED = 20;

/**
 * Sends orders in batches, one after the other. `sent` receives the progress. If a batch fails, the outcome still
 * covers all batches.
 */
export async function sendBulk(
  asked: Omit<BulkRequest, "orders">,
  orders: readonly DashboardOrderRow[],
  sent: (count: number) => void,
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: 0, refused: [] };
  const most = asked.event === "ship" || asked.event === "print" ? MOST_SHIPPED : MOST_BULK_ORDERS;
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

/** Includes the request id for support. */
function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return say("Unknown result. Open the order to check.");
  if (error.status === 0) return `${error.message} ${say("Open the order to check the result.")}`;
  return error.request_id === null
    ? error.message
    : say("{message} (Request {request_id})", { message: error.message, request_id: error.request_id });
}
