import { exact } from "../values/quantity-units.ts";

export type Shelf = { sku: string; on_hand_units: number; reserved_units: number };

/** A shelf with what is known of its lots. */
export type LotShelf = Shelf & {
  /** On hand with a known lot. */
  lot_units: number;
  /** On hand without one, and in an order that is filled and has not shipped. */
  loose_filled_units: number;
  /** From parcels that came back; not on hand. */
  returned_units: number;
};
/** The units of a lot. `filled_units` of those on hand are in orders that have not shipped. */
export type StockLot = {
  /** In upper case. */
  lot: string;
  expires_on: string;
  on_hand_units: number;
  filled_units: number;
  returned_units: number;
};

/** How each kind of entry changes a shelf. A count's units are the difference it found. */
export const stockEntryKinds = {
  received: { on_hand: 1, reserved: 0, returned: 0 },
  reserved: { on_hand: 0, reserved: 1, returned: 0 },
  released: { on_hand: 0, reserved: -1, returned: 0 },
  dispensed: { on_hand: -1, reserved: -1, returned: 0 },
  counted: { on_hand: 1, reserved: 0, returned: 0 },
  returned: { on_hand: 0, reserved: 0, returned: 1 },
  destroyed: { on_hand: -1, reserved: 0, returned: 0 },
  returned_destroyed: { on_hand: 0, reserved: 0, returned: -1 },
} as const satisfies Record<string, Record<"on_hand" | "reserved" | "returned", -1 | 0 | 1>>;
export type StockEntryKind = keyof typeof stockEntryKinds;

export type StockEntry = {
  sku: string;
  kind: StockEntryKind;
  units: number;
  order_number: string | null;
  note: string | null;
  /** Null for stock without a known lot. */
  lot?: string | null;
  /** Of the lot, if the shelf does not know it yet. */
  expires_on?: string | null;
  /** The change of the lot's shelf, if it is not all of the units: a count can find the lot of loose stock. */
  lot_units?: number;
  /** Why units were destroyed, and by whom. */
  reason?: string | null;
  person_id?: string | null;
  witness_id?: string | null;
};

/** Returns the entry that sets a shelf to the counted units, or null if orders have reserved more. */
export function countedEntry(shelf: Shelf, counted_units: number, note: string | null): StockEntry | null {
  if (counted_units < shelf.reserved_units) return null;
  const units = exact(counted_units - shelf.on_hand_units);
  return { sku: shelf.sku, kind: "counted", units, order_number: null, note };
}

export const isInStock = ({ on_hand_units, reserved_units }: Shelf): boolean => on_hand_units > reserved_units;
