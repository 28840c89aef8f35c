import { announce } from "../../db/bus.ts";
import { enterStock, lockShelves } from "../../db/catalogue/stock.ts";
import type { Database, Tx } from "../../db/db.ts";
import { countedEntry, isInStock, type Shelf, type StockEntry } from "../../domain/catalogue/stock.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requireAccount } from "../accounts/require-account.ts";
import { transact } from "../write.ts";

export type StockChange = { account_id: string; sku: string; units: number; note: string | null };

export const receiveStock = (db: Database, given: StockChange, now: Date): Promise<Shelf> =>
  moveOne(db, given, now, ({ sku }) => ({
    sku,
    kind: "received",
    units: given.units,
    order_number: null,
    note: given.note,
  }));

/** Records a physical count, which overrides the ledger's number. */
export const countStock = (db: Database, given: StockChange, now: Date): Promise<Shelf> =>
  moveOne(db, given, now, (shelf) => {
    const entry = countedEntry(shelf, given.units, given.note);
    if (entry !== null) return entry;
    throw new AdminRefusal(`Orders have reserved ${shelf.reserved_units} units. The count cannot be lower.`);
  });

/** Books stock entries, and notifies every process if a product came into stock or ran out. */
export async function moveStock(
  tx: Tx,
  account_id: string,
  before: readonly Shelf[],
  entries: readonly StockEntry[],
  at: Date,
): Promise<Shelf[]> {
  const after = await enterStock(tx, account_id, entries, at);
  const was = new Map(before.map((shelf) => [shelf.sku, isInStock(shelf)]));
  if (after.some((shelf) => was.get(shelf.sku) !== isInStock(shelf))) {
    await announce(tx, { kind: "catalogue", account_id });
  }
  return after;
}

async function moveOne(
  db: Database,
  { account_id, sku }: StockChange,
  now: Date,
  entryOf: (shelf: Shelf) => StockEntry,
): Promise<Shelf> {
  return transact({ db }, async (tx) => {
    const { clock_offset_s } = await requireAccount(tx, account_id);
    const [shelf] = await lockShelves(tx, account_id, [sku]);
    if (shelf === undefined)
      throw new AdminRefusal("The account has no such product. `pestle stock show` lists its products.");
    const [moved] = await moveStock(tx, account_id, [shelf], [entryOf(shelf)], accountNow(now, clock_offset_s));
    return moved!;
  });
}
