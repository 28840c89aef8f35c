import { type DestructionReason, EXPLANATION_CHARACTERS } from "@pestle/contract";
import { isDate } from "../values/calendar.ts";
import { exact } from "../values/quantity-units.ts";
import type { LotShelf, StockEntry, StockLot } from "./stock.ts";

/** A lot and its expiration date, as printed on the package. */
export type NamedLot = { lot: string; expires_on: string };

/** Why a movement of a lot is not accepted, as shown to the user. */
export const lotRefusals = {
  lot: "Give the lot as printed on the package: up to 40 letters, digits, dots, dashes and slashes.",
  date: "Give the expiration date of the lot as YYYY-MM-DD.",
  expired: "This lot has expired. Do not put it on the shelf.",
  other_date: "The shelf has this lot with another expiration date. Check the package.",
  unknown_lot: "The shelf has no such lot of this product.",
  filled: "Filled orders have more units than that. The count cannot be lower.",
  lots_above: "The lots on the shelf have more units than that. Count each lot.",
  reserved: "Orders have reserved these units. Receive other stock, or cancel orders first.",
  too_many: "There are not that many units to destroy.",
  pharmacist: "Only a pharmacist may destroy a controlled substance.",
  witness: "A second person must witness the destruction of a controlled substance. Name another member of the staff.",
  explanation: `Explain the destruction in at least ${EXPLANATION_CHARACTERS} characters.`,
} as const;
export type LotRefusal = keyof typeof lotRefusals;

export const LOT_PATTERN = /^[\w./-]{1,40}$/;
export const lotKey = (lot: string): string => lot.trim().toUpperCase();

type Decided = { entry: StockEntry } | { refused: LotRefusal };
type Change = { units: number; note: string | null; lot: NamedLot | null };

/** Units that arrived, with their lot if it is known. */
export function decideReceipt({ sku }: LotShelf, lots: readonly StockLot[], given: Change, today: string): Decided {
  const refused = given.lot && lotFault(given.lot, lots);
  if (refused) return { refused };
  if (given.lot && given.lot.expires_on <= today) return { refused: "expired" };
  return {
    entry: { sku, kind: "received", units: given.units, order_number: null, note: given.note, ...at(given.lot) },
  };
}

/**
 * The counted units of one lot. Units that the lot did not have are first those of the stock without a lot. Only the rest
 * of the difference changes the units of the product.
 */
export function decideLotCount(shelf: LotShelf, lots: readonly StockLot[], given: Change & { lot: NamedLot }): Decided {
  const refused = lotFault(given.lot, lots);
  if (refused) return { refused };
  const known = lotOf(lots, given.lot.lot);
  if (given.units < (known?.filled_units ?? 0)) return { refused: "filled" };
  const lot_units = exact(given.units - (known?.on_hand_units ?? 0));
  const identified = Math.min(Math.max(lot_units, 0), freeUnits(shelf, undefined));
  const units = exact(lot_units - identified);
  if (exact(shelf.on_hand_units + units) < shelf.reserved_units) return { refused: "reserved" };
  const { note } = given;
  return { entry: { sku: shelf.sku, kind: "counted", units, lot_units, order_number: null, note, ...at(given.lot) } };
}

/** Whether a count of the whole product leaves fewer units than its lots and filled orders have. */
export const isBelowLots = ({ lot_units, loose_filled_units }: LotShelf, counted_units: number): boolean =>
  counted_units < exact(lot_units + loose_filled_units);

export type Destruction = {
  units: number;
  /** Null for stock without a known lot. */
  lot: string | null;
  /** Whether the units are from parcels that came back. */
  returned: boolean;
  reason: DestructionReason;
  note: string | null;
};
type Destroyers = { person_id: string; by_pharmacist: boolean; witness_id: string | null };

/** Destroys units of the shelf, or of returned parcels. Of a controlled substance, a pharmacist does so with a witness. */
export function decideDestruction(
  shelf: LotShelf,
  lots: readonly StockLot[],
  { units, lot, returned, reason, note }: Destruction,
  { person_id, by_pharmacist, witness_id }: Destroyers,
  is_controlled: boolean,
): Decided {
  if (is_controlled && !by_pharmacist) return { refused: "pharmacist" };
  if ((is_controlled && witness_id === null) || witness_id === person_id) return { refused: "witness" };
  if (is_controlled && (note?.trim().length ?? 0) < EXPLANATION_CHARACTERS) return { refused: "explanation" };
  const known = lot === null ? undefined : lotOf(lots, lot);
  if (lot !== null && known === undefined) return { refused: "unknown_lot" };
  if (units > (returned ? returnedUnits(shelf, lots, known) : freeUnits(shelf, known))) return { refused: "too_many" };
  if (!returned && exact(shelf.on_hand_units - units) < shelf.reserved_units) return { refused: "reserved" };
  const kind = returned ? "returned_destroyed" : "destroyed";
  const named = known && { lot: known.lot, expires_on: known.expires_on };
  return {
    entry: {
      sku: shelf.sku,
      kind,
      units,
      order_number: null,
      note,
      reason,
      person_id,
      witness_id,
      ...at(named ?? null),
    },
  };
}

const lotOf = (lots: readonly StockLot[], lot: string) => lots.find((one) => one.lot === lotKey(lot));

/** On the shelf and not in a filled order: of the lot, or of the stock without one. */
const freeUnits = (shelf: LotShelf, lot: StockLot | undefined): number =>
  lot === undefined
    ? exact(shelf.on_hand_units - shelf.lot_units - shelf.loose_filled_units)
    : exact(lot.on_hand_units - lot.filled_units);

function returnedUnits(shelf: LotShelf, lots: readonly StockLot[], lot: StockLot | undefined): number {
  if (lot !== undefined) return lot.returned_units;
  return exact(shelf.returned_units - lots.reduce((sum, one) => sum + one.returned_units, 0));
}

function lotFault({ lot, expires_on }: NamedLot, lots: readonly StockLot[]): LotRefusal | null {
  if (!LOT_PATTERN.test(lot.trim())) return "lot";
  if (!isDate(expires_on)) return "date";
  const known = lotOf(lots, lot);
  return known !== undefined && known.expires_on !== expires_on ? "other_date" : null;
}

const at = (named: NamedLot | null): Pick<StockEntry, "lot" | "expires_on"> =>
  named === null ? {} : { lot: lotKey(named.lot), expires_on: named.expires_on };
