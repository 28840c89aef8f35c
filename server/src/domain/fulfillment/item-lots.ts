import { MOST_ITEM_LOTS } from "@pestle/contract";
import { LOT_PATTERN, lotKey } from "../catalogue/lot-moves.ts";
import type { LotShelf, StockLot } from "../catalogue/stock.ts";
import { addDays, isDate } from "../values/calendar.ts";
import { exact } from "../values/quantity-units.ts";

/** A lot of an order item. `shelf_units` of its units are on the shelf under this lot; the rest has no known lot. */
export type ItemLot = { lot: string; expires_on: string; units: number; shelf_units: number };

type Lot = Pick<StockLot, "lot" | "expires_on" | "on_hand_units" | "filled_units"> & { recalled: boolean };
type FillShelf = Omit<LotShelf, "reserved_units" | "returned_units"> & { lots: readonly Lot[] };

export type FillItem = { item_id: number; sku: string; units: number; days: number | null };
export type GivenLot = { lot: string; expires_on: string; units: number };
export type FillRefusal =
  | "lot_missing"
  | "lots_too_many"
  | "lot_twice"
  | "lot_units"
  | "lot_expired"
  | "lot_too_short"
  | "lot_recalled"
  | "lot_other_date"
  | "lot_other_product"
  | "lot_not_on_shelf"
  | "lot_used_up";

/** Why a package may not be used: it has expired, or it expires before the patient has used it up. */
export function shortLife(
  expires_on: string,
  days: number | null,
  today: string,
): "lot_expired" | "lot_too_short" | null {
  if (expires_on <= today) return "lot_expired";
  return days !== null && expires_on < addDays(today, days) ? "lot_too_short" : null;
}

/**
 * The lots to fill an item from, the first to expire first. Recalled and expired lots, and those that do not outlast the days
 * of supply, are left out. The suggestion is shorter than the item if the rest has no known lot.
 */
export function suggestLots(lots: readonly Lot[], { units, days }: Pick<FillItem, "units" | "days">, today: string) {
  const suggested: GivenLot[] = [];
  let left = units;
  const usable = lots.filter((one) => !one.recalled && shortLife(one.expires_on, days, today) === null);
  for (const { lot, expires_on, on_hand_units, filled_units } of usable.sort(firstToExpire)) {
    const taken = Math.min(left, exact(on_hand_units - filled_units));
    if (taken <= 0 || suggested.length === MOST_ITEM_LOTS) continue;
    suggested.push({ lot, expires_on, units: taken });
    left = exact(left - taken);
  }
  return suggested;
}

/** By date, then by lot, so that all screens show the same order. */
const firstToExpire = <One extends { lot: string; expires_on: string }>(a: One, b: One): number =>
  a.expires_on === b.expires_on ? (a.lot < b.lot ? -1 : 1) : a.expires_on < b.expires_on ? -1 : 1;

/**
 * Takes the named lots of each item from the shelves. What a lot's shelf does not have comes from the stock without a lot,
 * which may be of any lot. Nothing is taken if one lot cannot be. `elsewhere`: products that have these lots.
 */
export function takeLots(
  filled: readonly { item: FillItem; lots: readonly GivenLot[] }[],
  shelves: readonly FillShelf[],
  elsewhere: readonly { sku: string; lot: string }[],
  today: string,
): { taken: Map<number, ItemLot[]> } | { refused: FillRefusal } {
  const free = new Map<string, number>();
  for (const { sku, lots, on_hand_units, lot_units, loose_filled_units } of shelves) {
    free.set(sku, exact(on_hand_units - lot_units - loose_filled_units));
    for (const one of lots) free.set(placeOf(sku, one.lot), exact(one.on_hand_units - one.filled_units));
  }
  const taken = new Map<number, ItemLot[]>();
  for (const { item, lots } of filled) {
    const refused = faultOf(item, lots, today);
    if (refused !== null) return { refused };
    const known = shelves.find(({ sku }) => sku === item.sku)?.lots ?? [];
    const own: ItemLot[] = [];
    for (const { lot, expires_on, units } of lots) {
      const shelved = known.find((one) => one.lot === lotKey(lot));
      if (shelved?.recalled === true) return { refused: "lot_recalled" };
      if (shelved !== undefined && shelved.expires_on !== expires_on) return { refused: "lot_other_date" };
      if (shelved === undefined && elsewhere.some((one) => one.lot === lotKey(lot) && one.sku !== item.sku)) {
        return { refused: "lot_other_product" };
      }
      const shelf_units = takeFrom(free, placeOf(item.sku, lotKey(lot)), units);
      const rest = exact(units - shelf_units);
      if (takeFrom(free, item.sku, rest) < rest)
        return { refused: shelved === undefined ? "lot_not_on_shelf" : "lot_used_up" };
      own.push({ lot, expires_on, units, shelf_units });
    }
    taken.set(item.item_id, own.sort(firstToExpire));
  }
  return { taken };
}

/** Takes as many of the units as there are. */
function takeFrom(free: Map<string, number>, place: string, units: number): number {
  const taken = Math.max(0, Math.min(units, free.get(place) ?? 0));
  free.set(place, exact((free.get(place) ?? 0) - taken));
  return taken;
}

/** No lot has a line break, so that no SKU with a lot is another SKU. */
const placeOf = (sku: string, lot: string) => `${sku}\n${lot}`;

function faultOf({ units, days }: FillItem, lots: readonly GivenLot[], today: string): FillRefusal | null {
  if (lots.length > MOST_ITEM_LOTS) return "lots_too_many";
  if (lots.length === 0 || lots.some((one) => !LOT_PATTERN.test(one.lot) || !isDate(one.expires_on))) {
    return "lot_missing";
  }
  if (new Set(lots.map(({ lot }) => lotKey(lot))).size < lots.length) return "lot_twice";
  const wrong = lots.some((one) => !(one.units > 0) || exact(one.units) !== one.units);
  if (wrong || exact(lots.reduce((sum, one) => sum + one.units, 0)) !== units) return "lot_units";
  return lots.map((one) => shortLife(one.expires_on, days, today)).find((one) => one !== null) ?? null;
}

/** What product check reads from a package. */
export type ScannedLot = { lot: string | null; expires_on: string | null };
export type ScanRefusal = "other_lot" | "lot_not_read" | "scanned_twice" | "every_lot";

/** Whether the scans of an item are one of each lot that was filled. One package may have a code without a lot. */
export function matchScans(
  lots: readonly Pick<ItemLot, "lot" | "expires_on">[],
  scans: readonly ScannedLot[],
): ScanRefusal | null {
  const found = new Set<string>();
  for (const { lot, expires_on } of scans) {
    if (lot === null && lots.length > 1) return "lot_not_read";
    const filled = lot === null ? lots[0] : lots.find((one) => lotKey(one.lot) === lotKey(lot));
    if (lots.length > 0 && filled === undefined) return "other_lot";
    if (expires_on !== null && filled !== undefined && expires_on !== filled.expires_on) return "other_lot";
    const key = filled === undefined ? "" : lotKey(filled.lot);
    if (found.has(key)) return "scanned_twice";
    found.add(key);
  }
  return found.size === Math.max(1, lots.length) ? null : "every_lot";
}
