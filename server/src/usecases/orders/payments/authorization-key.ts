import type { LoadedOrder } from "../load-order.ts";

/** Each attempt has its own name, so the provider processes an attempt that is sent twice only once. */
export const attemptName = (
  { order, row }: Pick<LoadedOrder, "order" | "row">,
  payment_attempt = row.payment_attempt,
): string => `${order.order_number}-${payment_attempt}`;

/** The key of an authorization. Another amount is another call. */
export const authorizationKey = (loaded: Pick<LoadedOrder, "order" | "row">): string =>
  `${attemptName(loaded)}-${loaded.order.amount_cents}`;
