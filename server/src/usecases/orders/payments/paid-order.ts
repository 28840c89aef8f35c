import type { PaidOrder } from "../../../domain/orders/reconcile-payment.ts";
import type { LoadedOrder } from "../load-order.ts";
import { authorizationKey } from "./authorization-key.ts";

export const paidOrder = (loaded: LoadedOrder): PaidOrder => {
  const { order_status, payment_status, amount_cents, captured_cents, refunded_cents } = loaded.order;
  const { payment_reference } = loaded.row;
  return {
    ...{ order_status, payment_status, payment_reference, amount_cents, captured_cents, refunded_cents },
    key: authorizationKey(loaded),
  };
};
