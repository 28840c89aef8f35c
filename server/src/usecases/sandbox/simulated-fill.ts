import type { FilledLine } from "@pestle/contract";
import type { ShelfToFill } from "../../db/catalogue/stock-lots.ts";
import { addMonths } from "../../domain/values/calendar.ts";
import { exact } from "../../domain/values/quantity-units.ts";
import { suggestedFrom } from "../fulfillment/lots/fill-lots.ts";
import type { ScannedItem } from "../fulfillment/steps.ts";
import type { LoadedOrder } from "../orders/load-order.ts";

/** The lot of packages whose stock has no known lot. */
export const INVENTED_LOT = "SIMULATED";

/** From the lots on the shelf, the first to expire first, and the rest from the invented lot. */
export function simulatedFill(shelves: readonly ShelfToFill[], loaded: LoadedOrder): FilledLine[] {
  const suggested = suggestedFrom(shelves, loaded);
  const invented = { lot: INVENTED_LOT, lot_expires_on: addMonths(loaded.rules.today, 24) };
  return loaded.details.map(({ item_id, units }) => {
    const lots = suggested.get(item_id) ?? [];
    const rest = exact(units - lots.reduce((sum, one) => sum + one.units, 0));
    if (lots.length === 0) return { item_id, ...invented };
    return { item_id, lots: rest === 0 ? lots : [...lots, { ...invented, units: rest }] };
  });
}

/** A package of every lot. */
export const simulatedScans = ({ order, details }: LoadedOrder): ScannedItem[] =>
  details.flatMap(({ item_id, lots }) => {
    const { ndc, sku } = order.items.find((one) => one.item_id === item_id)!;
    const scan = { item_id, code: ndc ?? sku };
    return lots.length < 2 ? [scan] : lots.map(({ lot }) => ({ ...scan, lot }));
  });
