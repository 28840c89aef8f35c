type Place = { account_id: string; order_number: string };

/** The list an order was opened from, for Back and previous/next navigation. */
export type WorkList = { title: string; back: string; orders: readonly Place[] };

let list: WorkList | null = null;

export function setWorkList(next: WorkList): void {
  list = next;
}

/** Undefined if the order was not opened from a list. */
export function placeInWorkList({
  account_id,
  order_number,
}: Place):
  | { title: string; back: string; at: number; previous: Place | undefined; next: Place | undefined; length: number }
  | undefined {
  const at = list?.orders.findIndex((one) => one.order_number === order_number && one.account_id === account_id) ?? -1;
  if (list === null || at === -1) return undefined;
  const { title, back, orders } = list;
  return { title, back, at, previous: orders[at - 1], next: orders[at + 1], length: orders.length };
}
