import type { FilledLine, FilledLot } from "@pestle/contract";
import { listProductsOfLots, loadShelvesWithLots } from "../../../db/catalogue/stock-lots.ts";
import type { Queryable } from "../../../db/db.ts";
import { lotKey } from "../../../domain/catalogue/lot-moves.ts";
import {
  type FillItem,
  type GivenLot,
  type ItemLot,
  suggestLots,
  takeLots,
} from "../../../domain/fulfillment/item-lots.ts";
import type { LoadedOrder } from "../../orders/load-order.ts";
import { itemDays } from "../item-days.ts";
import { refuseRecalled } from "../recall/quarantine-lot.ts";
import { WorkRefusal } from "../work-refusal.ts";

/** Whether the package carries a lot. A product that is neither a drug nor prescribed, such as a pill organizer, has none. */
export const hasLot = ({ ndc, needs_prescription }: { ndc: string | null; needs_prescription: boolean }): boolean =>
  ndc !== null || needs_prescription;

/** Takes the lots of all lines from the shelves, or refuses. Returns what each item is filled from. */
export async function takenLots(
  db: Queryable,
  loaded: LoadedOrder,
  filled: readonly FilledLine[],
): Promise<ReadonlyMap<number, readonly ItemLot[]>> {
  const { account_id, rules } = loaded;
  const given = filled.map((one) => {
    const item = fillItem(loaded, one.item_id);
    return { item, lots: givenLots(one, item.units) };
  });
  const needed = given.filter(({ item, lots }) => lots.length > 0 || item.has_lot);
  const named = needed.flatMap(({ item: { sku }, lots }) => lots.map(({ lot }) => ({ sku, lot })));
  await refuseRecalled(db, account_id, named);
  if (needed.length === 0) return new Map();
  const skus = [...new Set(needed.map(({ item }) => item.sku))];
  const shelves = await loadShelvesWithLots(db, account_id, skus);
  const elsewhere = await listProductsOfLots(
    db,
    account_id,
    named.map(({ lot }) => lotKey(lot)),
  );
  const decided = takeLots(needed, shelves, elsewhere, rules.today);
  if ("refused" in decided) throw new WorkRefusal(decided.refused);
  return decided.taken;
}

/** The lots to fill each line from. A line that needs none, or whose stock has no known lots, has no suggestion. */
export async function suggestedLots(db: Queryable, loaded: LoadedOrder): Promise<ReadonlyMap<number, FilledLot[]>> {
  const items = loaded.order.items.map(({ item_id }) => fillItem(loaded, item_id)).filter(({ has_lot }) => has_lot);
  if (items.length === 0) return new Map();
  const skus = [...new Set(items.map(({ sku }) => sku))];
  const shelves = await loadShelvesWithLots(db, loaded.account_id, skus);
  const suggested = new Map<number, FilledLot[]>();
  for (const item of items) {
    const lots = shelves.find(({ sku }) => sku === item.sku)?.lots ?? [];
    const own = suggestLots(lots, item, loaded.rules.today);
    suggested.set(item.item_id, own.map(shownLot));
    // Two lines of one product do not share units.
    for (const { lot, units } of own) lots.find((one) => one.lot === lot)!.filled_units += units;
  }
  return suggested;
}

export const shownLot = ({ lot, expires_on, units }: GivenLot): FilledLot => ({
  lot,
  lot_expires_on: expires_on,
  units,
});

function fillItem(loaded: LoadedOrder, item_id: number): FillItem & { has_lot: boolean } {
  const item = loaded.order.items.find((one) => one.item_id === item_id)!;
  const { units } = loaded.details.find((one) => one.item_id === item_id)!;
  return { item_id, sku: item.sku, units, days: itemDays(loaded, item_id), has_lot: hasLot(item) };
}

function givenLots({ lot = null, lot_expires_on = null, lots }: FilledLine, units: number): GivenLot[] {
  if (lots !== undefined && lots.length > 0) {
    return lots.map((one) => ({ lot: one.lot, expires_on: one.lot_expires_on, units: one.units }));
  }
  return lot === null && lot_expires_on === null ? [] : [{ lot: lot ?? "", expires_on: lot_expires_on ?? "", units }];
}
