import { exact } from "../values/quantity-units.ts";

export type Shelf = { sku: string; on_hand_units: number; reserved_units: number };

/** How each kind of entry changes a shelf. A count's units are the difference it found. */
export const stockEntryKinds = {
  received: { on_hand: 1, reserved: 0 },
  reserved: { on_hand: 0, reserved: 1 },
  released: { on_hand: 0, reserved: -1 },
  dispensed: { on_hand: -1, reserved: -1 },
  counted: { on_hand: 1, reserved: 0 },
} as const satisfies Record<string, { on_hand: -1 | 0 | 1; reserved: -1 | 0 | 1 }>;
export type StockEntryKind = keyof typeof stockEntryKinds;

export type StockEntry = {
  sku: string;
  kind: StockEntryKind;
  units: number;
  order_number: string | null;
  note: string | null;
};

/** Returns the entry that sets a shelf to the counted units, or null if orders have reserved more. */
export function countedEntry(shelf: Shelf, counted_units: number, note: string | null): StockEntry | null {
  if (counted_units < shelf.reserved_units) return null;
  const units = exact(counted_units - shelf.on_hand_units);
  return { sku: shelf.sku, kind: "counted", units, order_number: null, note };
}

export const isInStock = ({ on_hand_units, reserved_units }: Shelf): boolean => on_hand_units > reserved_units;
