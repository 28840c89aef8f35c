/** Where sealed values of an order stand, for the vault. */
export const orderPlace = (column: "address_sealed" | "label_sealed", account_id: string, order_number: string) =>
  `orders.${column} ${account_id} ${order_number}`;
