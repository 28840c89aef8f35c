import type { RecallRow } from "@pestle/contract";

type Package = Pick<
  RecallRow,
  "account_id" | "order_number" | "patient_id" | "units" | "shipped_at" | "order_status" | "told_at"
>;

export const orderKey = ({ account_id, order_number }: Pick<RecallRow, "account_id" | "order_number">) =>
  `${account_id} ${order_number}`;
const orders = (packages: readonly Package[]): number => new Set(packages.map(orderKey)).size;
/** It has not shipped, so staff can stop it. */
export const isInside = ({ shipped_at, order_status }: Pick<Package, "shipped_at" | "order_status">) =>
  shipped_at === null && order_status !== "Canceled";

/**
 * An order can contain several packages of a lot. `inside`, `to_stop` and `told` count orders, because staff hold orders and
 * write about orders. `to_stop`: neither shipped nor on hold.
 */
export function recallTotals(packages: readonly Package[]) {
  const inside = packages.filter(isInside);
  return {
    people: new Set(packages.map(({ account_id, patient_id }) => `${account_id} ${patient_id}`)).size,
    units: packages.reduce((sum, one) => sum + one.units, 0),
    orders: orders(packages),
    inside: orders(inside),
    to_stop: orders(inside.filter(({ order_status }) => order_status !== "On Hold")),
    told: orders(packages.filter(({ told_at }) => told_at !== null)),
  };
}
