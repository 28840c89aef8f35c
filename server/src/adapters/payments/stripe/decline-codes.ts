import type { PaymentDecline } from "@pestle/contract";

/** Stripe's decline codes and error codes that have a text of their own. All others mean that the card was declined. */
const declines: Readonly<Record<string, PaymentDecline>> = {
  insufficient_funds: "insufficient_funds",
  withdrawal_count_limit_exceeded: "insufficient_funds",
  card_velocity_exceeded: "insufficient_funds",
  expired_card: "expired_card",
  invalid_expiry_year: "incorrect_number",
  invalid_expiry_month: "incorrect_number",
  incorrect_cvc: "incorrect_cvc",
  invalid_cvc: "incorrect_cvc",
  incorrect_number: "incorrect_number",
  invalid_number: "incorrect_number",
  incorrect_zip: "incorrect_number",
  incorrect_address: "incorrect_number",
  fraudulent: "call_bank",
  lost_card: "call_bank",
  stolen_card: "call_bank",
  pickup_card: "call_bank",
  merchant_blacklist: "call_bank",
  restricted_card: "call_bank",
  security_violation: "call_bank",
  do_not_honor: "call_bank",
  call_issuer: "call_bank",
  revocation_of_authorization: "call_bank",
  revocation_of_all_authorizations: "call_bank",
  stop_payment_order: "call_bank",
  transaction_not_allowed: "call_bank",
  card_not_supported: "not_supported",
  currency_not_supported: "not_supported",
  service_not_allowed: "not_supported",
  amount_too_small: "not_supported",
  amount_too_large: "not_supported",
  processing_error: "processing_error",
  issuer_not_available: "processing_error",
  reenter_transaction: "processing_error",
  try_again_later: "processing_error",
  authentication_required: "authentication_required",
  payment_intent_authentication_failure: "authentication_required",
};

/** Stripe's `decline_code` is the bank's reason, and its `code` the kind of error. */
export function declineOf({ code, decline_code }: { code?: unknown; decline_code?: unknown }): PaymentDecline {
  const named = [decline_code, code].find((one) => typeof one === "string" && Object.hasOwn(declines, one));
  return named === undefined ? "card_declined" : declines[named as string]!;
}
