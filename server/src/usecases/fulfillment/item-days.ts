import { daysOfUnits } from "../../domain/fulfillment/fill-numbers.ts";
import type { LoadedOrder } from "../orders/load-order.ts";

/** How many days the item lasts; null if its prescription does not say, or without one. */
export function itemDays({ order, details, prescriptions }: LoadedOrder, item_id: number): number | null {
  const item = order.items.find((one) => one.item_id === item_id);
  const prescription = prescriptions.find(({ prescription_id }) => prescription_id === item?.prescription_id);
  if (prescription === undefined) return null;
  const { units } = details.find((one) => one.item_id === item_id)!;
  return daysOfUnits({ ...prescription, units });
}
