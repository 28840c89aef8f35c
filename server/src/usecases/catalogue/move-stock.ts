import { announce } from "../../db/bus.ts";
import { enterStock, lockShelves } from "../../db/catalogue/stock.ts";
import { insertCount, loadSchedule } from "../../db/catalogue/stock-counts.ts";
import { findLots } from "../../db/catalogue/stock-lots.ts";
import type { Database, Tx } from "../../db/db.ts";
import { isLicensedPharmacist } from "../../domain/accounts/license.ts";
import {
  decideLotCount,
  decideReceipt,
  isBelowLots,
  type LotRefusal,
  lotKey,
  lotRefusals,
  type NamedLot,
} from "../../domain/catalogue/lot-moves.ts";
import { countedEntry, isInStock, type LotShelf, type Shelf, type StockEntry } from "../../domain/catalogue/stock.ts";
import { countRefusals, decideCount } from "../../domain/catalogue/stock-count.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { exact } from "../../domain/values/quantity-units.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requireAccount } from "../accounts/require-account.ts";
import type { Looker } from "../operations/write-audit.ts";
import { transact } from "../write.ts";

/** `lot`: the units are of this lot. Otherwise their lot is unknown. */
export type StockChange = {
  account_id: string;
  sku: string;
  units: number;
  note: string | null;
  lot?: NamedLot | null;
};
/** A count of a controlled substance names the pharmacist, and explains a difference. The note is the explanation. */
export type StockCount = StockChange & { by?: (Looker & { license: string | null }) | null; reason?: string | null };

export const receiveStock = (db: Database, given: StockChange, now: Date): Promise<Shelf> =>
  moveOne(db, given, now, async (shelf, tx, at) => {
    const lot = given.lot ?? null;
    return accepted(decideReceipt(shelf, await lotsOf(tx, given), { ...given, lot }, at.toISOString().slice(0, 10)));
  });

/**
 * Records a physical count, which overrides the ledger's number. A count of a controlled substance is kept for the
 * biennial inventory, and is refused until its difference is explained.
 */
export const countStock = (db: Database, given: StockCount, now: Date): Promise<Shelf> =>
  moveOne(db, given, now, async (shelf, tx, at) => {
    const entry = await countEntry(tx, shelf, given);
    await keepCount(tx, shelf, { ...given, units: exact(shelf.on_hand_units + entry.units) }, at);
    return entry;
  });

async function countEntry(tx: Tx, shelf: LotShelf, given: StockCount): Promise<StockEntry> {
  const { lot, units, note } = given;
  if (lot != null) return accepted(decideLotCount(shelf, await lotsOf(tx, given), { units, note, lot }));
  const entry = countedEntry(shelf, units, note);
  if (entry === null) {
    throw new AdminRefusal(`Orders have reserved ${shelf.reserved_units} units. The count cannot be lower.`);
  }
  if (isBelowLots(shelf, units)) throw new AdminRefusal(lotRefusals.lots_above);
  return entry;
}

async function keepCount(tx: Tx, shelf: Shelf, given: StockCount, at: Date): Promise<void> {
  const { account_id, sku } = given;
  const product = await loadSchedule(tx, account_id, sku);
  if (product === undefined || product.drug_schedule === "0") return;
  const by = given.by ?? null;
  const decided = decideCount(shelf, given.units, {
    by_pharmacist: by !== null && isLicensedPharmacist(by),
    reason: given.reason ?? null,
    explanation: given.note,
  });
  if ("refused" in decided) throw new AdminRefusal(countRefusals[decided.refused]);
  await insertCount(tx, { account_id, sku, at, counted_by: by!.person_id, ...decided.count });
}

/** What the shelf knows of the named lot. */
const lotsOf = async (tx: Tx, { account_id, sku, lot }: StockChange) =>
  lot == null ? [] : findLots(tx, account_id, sku, [lotKey(lot.lot)]);

/** The entry, or the refusal in words. */
export function accepted(decided: { entry: StockEntry } | { refused: LotRefusal }): StockEntry {
  if ("refused" in decided) throw new AdminRefusal(lotRefusals[decided.refused]);
  return decided.entry;
}

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

/** Locks the shelf, decides the entry, and books it. */
export async function moveOne(
  db: Database,
  { account_id, sku }: { account_id: string; sku: string },
  now: Date,
  entryOf: (shelf: LotShelf, tx: Tx, at: Date) => Promise<StockEntry>,
): Promise<Shelf> {
  return transact({ db }, async (tx) => {
    const { clock_offset_s } = await requireAccount(tx, account_id);
    const [shelf] = await lockShelves(tx, account_id, [sku]);
    if (shelf === undefined)
      throw new AdminRefusal("The account has no such product. `pestle stock show` lists its products.");
    const at = accountNow(now, clock_offset_s);
    const [moved] = await moveStock(tx, account_id, [shelf], [await entryOf(shelf, tx, at)], at);
    return moved!;
  });
}
