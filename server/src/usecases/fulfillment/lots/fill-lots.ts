import type { FilledLine, FilledLot } from "@pestle/contract";
import {
  loadShelvesToFill,
  loadShelvesWithLots,
  type ShelfToFill,
  type ShelfWithLots,
} from "../../../db/catalogue/stock-lots.ts";
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
import { WorkRefusal } from "../work-refusal.ts";

/** Whether the package carries a lot. A product that is neither a drug nor prescribed, such as a pill organizer, has none. */
export const hasLot = ({ ndc, needs_prescription }: { ndc: string | null; needs_prescription: boolean }): boolean =>
  ndc !== null || needs_prescription;

/** Reads the shelves of the products, and what is known of the named lots. */
export type ReadShelves = (skus: readonly string[], lots: readonly string[]) => Promise<readonly ShelfToFill[]>;

export const readShelves =
  (db: Queryable, account_id: string): ReadShelves =>
  (skus, lots) =>
    loadShelvesToFill(db, account_id, skus, lots);

/** Takes the lots of all lines from the shelves, or refuses. Returns what each item is filled from. */
export async function takenLots(
  read: ReadShelves,
  loaded: LoadedOrder,
  filled: readonly FilledLine[],
): Promise<ReadonlyMap<number, readonly ItemLot[]>> {
  const given = filled.map((one) => {
    const item = fillItem(loaded, one.item_id);
    return { item, lots: givenLots(one, item.units) };
  });
  const needed = given.filter(({ item, lots }) => lots.length > 0 || item.has_lot);
  if (needed.length === 0) return new Map();
  const named = needed.flatMap(({ item: { sku }, lots }) => lots.map(({ lot }) => ({ sku, lot: lotKey(lot) })));
  const shelves = await read(
    [...new Set(needed.map(({ item }) => item.sku))],
    [...new Set(named.map(({ lot }) => lot))],
  );
  const isRecalled = ({ sku, lot }: { sku: string; lot: string }) =>
    shelves.some((shelf) => shelf.sku === sku && shelf.recalled_lots.includes(lot));
  if (named.some(isRecalled)) throw new WorkRefusal("lot_recalled");
  const elsewhere = shelves.flatMap((shelf) => shelf.elsewhere);
  const decided = takeLots(needed, shelves, elsewhere, loaded.rules.today);
  if ("refused" in decided) throw new WorkRefusal(decided.refused);
  return decided.taken;
}

/** The lots to fill each line from. A line that needs none, or whose stock has no known lots, has no suggestion. */
export async function suggestedLots(db: Queryable, loaded: LoadedOrder): Promise<ReadonlyMap<number, FilledLot[]>> {
  const items = loaded.order.items.filter(hasLot);
  if (items.length === 0) return new Map();
  const skus = [...new Set(items.map(({ sku }) => sku))];
  return suggestedFrom(await loadShelvesWithLots(db, loaded.account_id, skus), loaded);
}

/** The same from shelves that are loaded already. */
export function suggestedFrom(
  shelves: readonly ShelfWithLots[],
  loaded: LoadedOrder,
): ReadonlyMap<number, FilledLot[]> {
  const left = new Map(shelves.map(({ sku, lots }) => [sku, lots.map((one) => ({ ...one }))]));
  const items = loaded.order.items.map(({ item_id }) => fillItem(loaded, item_id)).filter(({ has_lot }) => has_lot);
  const suggested = new Map<number, FilledLot[]>();
  for (const item of items) {
    const lots = left.get(item.sku) ?? [];
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
