import type { Address, Order } from "@pestle/contract";
import { listOrders, loadOrder, type OrderFilter, type OrderRow, orderPlace } from "../db/orders.ts";
import type { Deps } from "../deps.ts";
import { orderAnswer } from "../domain/order-answer.ts";
import { withKeysOfNow } from "../vault/vault.ts";

export async function readOrder(deps: Deps, account_id: string, order_number: string): Promise<Order | undefined> {
  return withKeysOfNow(deps, async () => {
    const row = await loadOrder(deps.db, account_id, order_number);
    return row && answerOf(deps, account_id, row);
  });
}

/** A page of orders, newest first, and where the next one begins. */
export async function readOrders(
  deps: Deps,
  account_id: string,
  filter: OrderFilter,
  before: number,
  limit: number,
): Promise<{ orders: Order[]; next: number | null }> {
  return withKeysOfNow(deps, async () => {
    // One more than is shown tells whether there is a next page.
    const rows = await listOrders(deps.db, account_id, filter, before, limit + 1);
    const shown = rows.slice(0, limit);
    return {
      orders: shown.map((row) => answerOf(deps, account_id, row)),
      next: rows.length > limit ? shown.at(-1)!.order_position : null,
    };
  });
}

function answerOf(deps: Deps, account_id: string, row: OrderRow): Order {
  const { address_sealed, label_format, label_carrier, label_tracking_no, exceptions, prescriptions, ...order } = row;
  const address =
    address_sealed &&
    (JSON.parse(
      deps.vault.open(address_sealed, orderPlace("address_sealed", account_id, row.order_number)).toString("utf8"),
    ) as Address);
  const label = label_format && { format: label_format, carrier: label_carrier, tracking_no: label_tracking_no };
  return orderAnswer(
    {
      ...order,
      address,
      label,
      exceptions: exceptions.map(({ id, raised_at }) => ({ id, raised_at: new Date(raised_at) })),
    },
    prescriptions.map(({ received_at, expires_at, ...prescription }) => ({
      ...prescription,
      received_at: new Date(received_at),
      expires_at: new Date(expires_at),
    })),
  );
}
