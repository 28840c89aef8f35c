import { paymentAnswer, type StoredOrder } from "../orders/order-answer.ts";
import { type MadeEvent, madeEvent } from "./made-event.ts";

/** The event about a changed payment; null if the partner sees no difference. */
export function paymentUpdated(
  before: StoredOrder,
  after: StoredOrder,
  now: Date,
  event_id: () => string,
): MadeEvent | null {
  const payment = paymentAnswer(after);
  if (JSON.stringify(payment) === JSON.stringify(paymentAnswer(before))) return null;
  const { patient_id, order_number } = after;
  return madeEvent("PAYMENT_UPDATED", { patient_id, order_number, payment }, now, event_id());
}
