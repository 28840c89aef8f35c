import type { RecallRow } from "@pestle/contract";

type Package = Pick<RecallRow, "account_id" | "order_number" | "patient_id" | "units" | "shipped_at" | "order_status">;

/** An order can contain several packages of a lot. `to_stop` counts orders, because staff hold or cancel orders. */
export function recallTotals(packages: readonly Package[]): { people: number; units: number; to_stop: number } {
  const inside = packages.filter(({ shipped_at, order_status }) => shipped_at === null && order_status !== "Canceled");
  return {
    people: new Set(packages.map(({ account_id, patient_id }) => `${account_id} ${patient_id}`)).size,
    units: packages.reduce((sum, one) => sum + one.units, 0),
    to_stop: new Set(inside.map(({ account_id, order_number }) => `${account_id} ${order_number}`)).size,
  };
}
