import { addFoundAuthorization, listAuthorizations } from "../../db/orders/card-authorizations.ts";
import { findOrder } from "../../db/orders/orders.ts";
import type { EnvironmentDeps } from "../../deps.ts";
import { keepsRecords } from "../orders/payments/ask-on-record.ts";
import { checkPayment } from "../orders/payments/check-payments.ts";

/** `unknown`: the event is about something else, such as a payment of another shop in the same Stripe account. */
export type ReceivedEvent = "taken" | "unknown" | "not_signed";

/**
 * Takes an event that Stripe sent. It only says which payment changed: the payment is read from Stripe and compared, so
 * events may come twice, late and in any order.
 */
export async function receiveStripeEvent(
  deps: EnvironmentDeps,
  body: Buffer,
  signature: string | undefined,
): Promise<ReceivedEvent> {
  const payments = deps.payments.production;
  if (!keepsRecords(payments)) return "unknown";
  const event = payments.records.readEvent(body, signature, deps.now());
  if (event === "not_signed") return event;
  if (event === null) return "unknown";
  const payment = await payments.records.find(event.reference).catch((error: Error) => {
    if (error.name === "PaymentRefused") return null;
    throw error;
  });
  if (payment?.of == null) return "unknown";
  const { account_id, order_number, key } = payment.of;
  const ours = await listAuthorizations(deps.db, account_id, order_number);
  if (!ours.some(({ authorization_key }) => authorization_key === key)) {
    if ((await findOrder(deps.db, account_id, order_number)) === undefined) return "unknown";
    const { reference, amount_cents } = payment;
    await addFoundAuthorization(deps.db, account_id, order_number, {
      ...{ key, reference, amount_cents },
      state: payment.state === "captured" ? "charged" : "held",
      at: deps.now(),
    });
  }
  await checkPayment(deps, account_id, order_number, key, payment);
  return "taken";
}
