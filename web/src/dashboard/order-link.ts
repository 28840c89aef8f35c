/** Path of the order screen. */
export const orderPath = ({ account_id, order_number }: { account_id: string; order_number: string }): string =>
  `/order/${encodeURIComponent(account_id)}/${encodeURIComponent(order_number)}`;
