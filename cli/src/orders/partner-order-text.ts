import type { HistoryEntry, Order, OrderAction } from "@pestle/contract";
import { facts, minute, money, pc, table } from "../output.ts";

/** An order as its partner sees it. The patient's name and address are only in `--json`. */
export function partnerOrderText(order: Order): string {
  const { order_number, order_status, patient_id, reference, payment, shipments, exceptions, created_at } = order;
  const about = facts({
    order_number,
    order_status: statusText(order_status),
    patient_id,
    ...(reference !== null && { reference }),
    created: minute(created_at),
    payment: `${payment.status}, ${money(payment.amount_cents)}${payment.refunded_cents === 0 ? "" : `, ${money(payment.refunded_cents)} refunded`}`,
  });
  const items = order.items.map((item) => [
    String(item.item_id),
    item.sku ?? "-",
    `${item.quantity} x ${item.package_size ?? "-"}`,
    String(item.prescription_id ?? "-"),
  ]);
  return [
    about,
    table(["item", "sku", "packages", "rx"], items),
    ...shipments.map(
      ({ carrier, method, tracking_no, status }) => `parcel ${tracking_no} (${carrier} ${method}): ${status}`,
    ),
    ...exceptions.map(exceptionText),
  ].join("\n");
}

/** An open exception and the actions that resolve it. */
export function exceptionText({ id, name, message, order_actions }: Order["exceptions"][number]): string {
  const ways = order_actions.map(({ event_key }) => event_key).join(", ");
  return `! ${id} ${name}: ${message}${ways === "" ? "" : ` (${ways})`}`;
}

export const orderRows = (orders: readonly Order[]): string =>
  table(
    ["order_number", "status", "patient_id", "reference", "created", "exceptions"],
    orders.map((order) => [
      order.order_number,
      order.order_status,
      order.patient_id,
      order.reference ?? "-",
      minute(order.created_at),
      order.exceptions.map(({ id }) => id).join(" ") || "-",
    ]),
  );

export const historyText = ({ at, actor, event, from, to, exception_id }: HistoryEntry): string =>
  [
    at,
    actor.padEnd(10),
    `${event}${exception_id === null ? "" : ` ${exception_id}`}`.padEnd(20),
    from === to || from === null ? statusText(to) : `${from} → ${statusText(to)}`,
  ].join("  ");

export function actionRows(actions: readonly (OrderAction & { offered_by: readonly number[] })[]): string {
  const rows = actions.map(({ event_key, action, fields, offered_by }) => [
    event_key,
    action,
    fields.map(({ name, required }) => (required ? name : `[${name}]`)).join(" ") || "-",
    offered_by.join(" ") || "-",
  ]);
  return table(["event", "action", "fields", "exceptions"], rows);
}

function statusText(status: Order["order_status"]): string {
  const paint = { Delivered: pc.green, "On Hold": pc.yellow, Canceled: pc.red } as Record<
    string,
    (text: string) => string
  >;
  return (paint[status] ?? ((text) => text))(status);
}
