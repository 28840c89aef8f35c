import type { OrderStatus } from "@pestle/contract";

/** The order as far as its money depends on it. */
export type PaidOrder = {
  order_status: OrderStatus;
  payment_status: string;
  payment_reference: string | null;
  /** The key of the authorization that the order asks for now. */
  key: string;
  amount_cents: number;
  captured_cents: number;
  refunded_cents: number;
};
/** An authorization that we asked for. */
export type OurAuthorization = {
  authorization_key: string;
  reference: string | null;
  returned_cents: number;
  expires_at: Date | null;
  moved_at: Date | null;
  disputed: boolean;
};
/** The same at the provider. */
export type TheirPayment = {
  state: "declined" | "waiting" | "authorized" | "captured" | "canceled";
  amount_cents: number;
  captured_cents: number;
  refunded_cents: number;
  disputed: boolean;
};

/**
 * How to put an order and the provider's record right.
 * - `settle`: the order waits for this answer.
 * - `take`: the patient confirmed the payment after we had counted it as declined.
 * - `renew`: it ends before the order ships, has ended, or charged an order that does not ship. Another one replaces it.
 * - `release`: it belongs to no order that needs it.
 * - `capture`: the order shipped, and the charge is missing.
 * - `record_refund`, `record_dispute`: it happened at the provider.
 * - `not_charged`: the order shipped, and the provider cannot charge it. A person must look.
 */
export type Reconciling =
  | { do: "settle" | "take" | "renew" | "release" | "capture" | "record_dispute" | "not_charged" }
  | { do: "record_refund"; amount_cents: number };

const DAY_MS = 24 * 60 * 60 * 1000;
/** An authorization that ends within this time is replaced, if the order has not shipped. */
export const RENEWED_BEFORE_MS = DAY_MS;
/** A charge whose order did not ship within this time goes back, and the card is authorized again. */
const CHARGED_FOR_MS = DAY_MS;

/** Whether no order needs the authorization: it is not the order's, nor the one that the order asks for now. */
export function isStray(order: PaidOrder, { authorization_key, reference }: OurAuthorization): boolean {
  if (order.payment_status === "voided") return true;
  if (reference !== null && reference === order.payment_reference) return false;
  const wanted = order.payment_status === "pending" || order.payment_status === "declined";
  return !(wanted && authorization_key === order.key);
}

/** Compares an authorization with the provider's record of it. */
export function reconcilePayment(
  order: PaidOrder,
  ours: OurAuthorization,
  theirs: TheirPayment,
  now: Date,
): Reconciling[] {
  const dispute: Reconciling[] = theirs.disputed && !ours.disputed ? [{ do: "record_dispute" }] : [];
  return [...dispute, ...moneySteps(order, ours, theirs, now)];
}

function moneySteps(order: PaidOrder, ours: OurAuthorization, theirs: TheirPayment, now: Date): Reconciling[] {
  if (isStray(order, ours)) {
    const kept = theirs.state === "captured" && theirs.refunded_cents < theirs.captured_cents;
    return theirs.state === "authorized" || theirs.state === "waiting" || kept ? [{ do: "release" }] : [];
  }
  if (order.payment_status === "pending") return [{ do: "settle" }];
  const is_own = ours.reference !== null && ours.reference === order.payment_reference;
  if (!is_own) return theirs.state === "authorized" || theirs.state === "captured" ? [{ do: "take" }] : [];
  if (order.captured_cents > 0) return shippedSteps(order, ours, theirs);
  if (theirs.state === "captured") {
    const since = now.getTime() - (ours.moved_at ?? now).getTime();
    return since >= CHARGED_FOR_MS ? [{ do: "renew" }] : [];
  }
  if (theirs.state !== "authorized") return [{ do: "renew" }];
  const ends_in = ours.expires_at === null ? Number.POSITIVE_INFINITY : ours.expires_at.getTime() - now.getTime();
  return ends_in <= RENEWED_BEFORE_MS ? [{ do: "renew" }] : [];
}

function shippedSteps(order: PaidOrder, ours: OurAuthorization, theirs: TheirPayment): Reconciling[] {
  if (theirs.state === "authorized") return [{ do: "capture" }];
  if (theirs.state !== "captured") return [{ do: "not_charged" }];
  // What went back at the charge is no refund of the order.
  const more = theirs.refunded_cents - ours.returned_cents - order.refunded_cents;
  const left = order.captured_cents - order.refunded_cents;
  return more > 0 && left > 0 ? [{ do: "record_refund", amount_cents: Math.min(more, left) }] : [];
}
