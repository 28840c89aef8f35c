/** An order's money as our database has it. */
export type OrderMoney = {
  order_number: string;
  order_status: string;
  payment_status: string;
  amount_cents: number;
  captured_cents: number;
  refunded_cents: number;
  /** A void or refund has no answer. */
  waits: boolean;
};
type Intent = { metadata: Readonly<Record<string, string>>; amount_received: number };

/** Every way in which the provider's books and ours differ. */
export function judgeMoney(
  orders: readonly OrderMoney[],
  intents: readonly Intent[],
  moneyOf: (order_number: string) => { held: number; taken: number },
): string[] {
  const known = new Set(orders.map(({ order_number }) => order_number));
  const strangers = intents.filter(({ metadata }) => !known.has(metadata["order_number"] ?? ""));
  return [
    ...strangers.map(() => "the provider has a payment of an order that does not exist"),
    ...orders.flatMap((order) => faultsOf(order, moneyOf(order.order_number))),
  ];
}

function faultsOf(order: OrderMoney, { held, taken }: { held: number; taken: number }): string[] {
  const { order_number, order_status, payment_status, amount_cents, captured_cents, refunded_cents, waits } = order;
  const is_shipped = order_status === "Shipped" || order_status === "Delivered";
  const due = is_shipped ? amount_cents - refunded_cents : 0;
  const open = order_status === "Processing" || order_status === "Filling";
  const wrong = [
    taken > due && `charged ${taken} for ${due}`,
    taken < due && `charged only ${taken} of ${due}`,
    is_shipped && captured_cents !== amount_cents && `captured ${captured_cents} of ${amount_cents} in our books`,
    !open && held > 0 && `still holds ${held} on the card`,
    open && held !== amount_cents && `holds ${held} on the card for ${amount_cents}`,
    payment_status === "pending" && "the payment is still pending",
    waits && "a void or refund is still pending",
  ];
  return wrong.flatMap((one) => (one === false ? [] : [`${order_number} (${order_status}): ${one}`]));
}
