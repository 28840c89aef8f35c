import type { ProviderPayment } from "../../../domain/orders/provider-payment.ts";
import { declineOf } from "./decline-codes.ts";

/** The parts of Stripe's objects that we read. Everything may be missing: the answer comes from outside. */
type SentIntent = {
  id?: unknown;
  status?: unknown;
  amount?: unknown;
  amount_received?: unknown;
  metadata?: Record<string, unknown> | null;
  latest_charge?: SentCharge | string | null;
  last_payment_error?: { code?: unknown; decline_code?: unknown } | null;
  next_action?: { redirect_to_url?: { url?: unknown } | null } | null;
};
type SentCharge = {
  amount_refunded?: unknown;
  disputed?: unknown;
  balance_transaction?: { fee?: unknown } | string | null;
  payment_method_details?: { card?: { capture_before?: unknown } | null } | null;
};

const states: Readonly<Record<string, ProviderPayment["state"]>> = {
  requires_payment_method: "declined",
  requires_confirmation: "declined",
  requires_action: "waiting",
  processing: "waiting",
  requires_capture: "authorized",
  succeeded: "captured",
  canceled: "canceled",
};

/** A payment intent in our words; null if the answer is none. */
export function readIntent(sent: unknown): ProviderPayment | null {
  if (typeof sent !== "object" || sent === null) return null;
  const { id, status, amount, amount_received, metadata, latest_charge, last_payment_error, next_action } =
    sent as SentIntent;
  const state = typeof status === "string" ? states[status] : undefined;
  if (typeof id !== "string" || !id.startsWith("pi_") || state === undefined || !isCents(amount)) return null;
  const charge = typeof latest_charge === "object" && latest_charge !== null ? latest_charge : {};
  const { balance_transaction, payment_method_details } = charge;
  const booked = typeof balance_transaction === "object" ? balance_transaction : null;
  const before = payment_method_details?.card?.capture_before;
  const url = next_action?.redirect_to_url?.url;
  return {
    reference: id,
    of: ownerOf(metadata ?? {}),
    state,
    amount_cents: amount,
    captured_cents: state === "captured" && isCents(amount_received) ? amount_received : 0,
    refunded_cents: isCents(charge.amount_refunded) ? charge.amount_refunded : 0,
    fee_cents: isCents(booked?.fee) ? booked.fee : null,
    disputed: charge.disputed === true,
    expires_at: typeof before === "number" ? new Date(before * 1000) : null,
    decline: last_payment_error == null ? null : declineOf(last_payment_error),
    url: typeof url === "string" && url.startsWith("https://") ? url : null,
  };
}

const isCents = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function ownerOf({ account, order_number, attempt }: Record<string, unknown>): ProviderPayment["of"] {
  if (typeof account !== "string" || typeof order_number !== "string" || typeof attempt !== "string") return null;
  return { account_id: account, order_number, key: attempt };
}
