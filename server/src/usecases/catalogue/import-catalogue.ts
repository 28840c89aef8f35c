import { type AccountRow, listAccounts } from "../../db/accounts/accounts.ts";
import { announce } from "../../db/bus.ts";
import {
  insertCatalogueVersion,
  lockCatalogue,
  retireRows,
  saveBrands,
  saveLicences,
  saveProducts,
  saveShippingMethods,
} from "../../db/catalogue/catalogue-rows.ts";
import { enterStock, lockShelves } from "../../db/catalogue/stock.ts";
import { listControlledWithLedger } from "../../db/catalogue/stock-counts.ts";
import type { Database, Tx } from "../../db/db.ts";
import type { Fault, FileTable } from "../../domain/catalogue/file-table.ts";
import { isBelowLots, lotRefusals } from "../../domain/catalogue/lot-moves.ts";
import {
  type CatalogueDiff,
  changesNothing,
  type ImportPlan,
  planImport,
  type ReadIngredient,
} from "../../domain/catalogue/plan-import.ts";
import type { CatalogueKind, StockRow } from "../../domain/catalogue/rows.ts";
import { countedEntry } from "../../domain/catalogue/stock.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { operatorAccount } from "../accounts/create-partner.ts";
import { requireAccount } from "../accounts/require-account.ts";
import { transact } from "../write.ts";
import { type CatalogueOwner, loadOwned } from "./read-catalogue-rows.ts";

export type CatalogueImport = {
  owner: CatalogueOwner;
  kind: CatalogueKind;
  table: FileTable;
  /** The file's name, stored with the version. */
  source: string;
  /** Keep rows that the file leaves out. */
  partial: boolean;
  dry_run: boolean;
  /** How the safety tables read an ingredient; absent if they are unusable. */
  readIngredient?: ReadIngredient | undefined;
  /** The diff that a person approved. The import is refused if the actual diff is different. */
  agreed?: CatalogueDiff;
};
export type ImportedCatalogue = CatalogueDiff & {
  /** Null if nothing was written: faults, no changes, or a dry run. */
  version: number | null;
  faults: readonly Fault[];
  warnings: readonly Fault[];
};

/** Applies a file to a catalogue, all of it or none, and notifies every process. */
export const importCatalogue = (db: Database, given: CatalogueImport, now: Date): Promise<ImportedCatalogue> =>
  // Orders lock the same shelves in another order, so an import can lose a race.
  transact({ db }, (tx) => importOnce(tx, given, now));

async function importOnce(tx: Tx, given: CatalogueImport, now: Date): Promise<ImportedCatalogue> {
  const { owner, kind, table, partial, dry_run, readIngredient } = given;
  const accounts = await accountsOf(tx, owner);
  const holder = dry_run ? null : await lockedHolder(tx, given, now);
  const plan = planImport(kind, table, await loadOwned(tx, owner), { partial, readIngredient });
  const { faults, warnings, diff } = plan;
  if (holder === null || faults.length > 0 || changesNothing(diff)) return { version: null, faults, warnings, ...diff };
  if (given.agreed !== undefined && JSON.stringify(given.agreed) !== JSON.stringify(diff)) {
    throw new AdminRefusal("The catalogue changed after the preview. Import again to see the current difference.");
  }
  if (kind === "stock") await saveCounts(tx, accounts[0]!, plan, given.source, now);
  else await saveRows(tx, kind, owner, plan, now);
  const { source } = given;
  const version = await insertCatalogueVersion(tx, holder, { kind, source, imported_at: now, summary: diff });
  for (const { account_id } of accounts) await announce(tx, { kind: "catalogue", account_id });
  return { version, faults, warnings, ...diff };
}

/** The accounts whose cached catalogue becomes stale. */
async function accountsOf(tx: Tx, owner: CatalogueOwner): Promise<AccountRow[]> {
  if ("account_id" in owner) return [await requireAccount(tx, owner.account_id)];
  return (await listAccounts(tx)).filter(({ environment }) => environment === owner.environment);
}

/** Locks the account that holds the versions against other imports, and the shelves that a stock import counts. */
async function lockedHolder(tx: Tx, { owner, kind, table }: CatalogueImport, now: Date): Promise<string> {
  const holder = "account_id" in owner ? owner.account_id : await operatorAccount(tx, owner.environment, now);
  await lockCatalogue(tx, holder);
  if (kind === "stock") {
    const skus = table.rows.map(({ cells }) => String(cells.get("sku")).trim());
    await lockShelves(tx, holder, skus);
  }
  return holder;
}

const savers = {
  products: saveProducts,
  brands: saveBrands,
  shipping_methods: saveShippingMethods,
  licences: saveLicences,
} as const;

type SaveOwn = (tx: Tx, id: string, rows: ImportPlan["rows"], now: Date) => Promise<number>;

async function saveRows(
  tx: Tx,
  kind: keyof typeof savers,
  owner: CatalogueOwner,
  { diff, rows }: ImportPlan,
  now: Date,
): Promise<void> {
  const id = "account_id" in owner ? owner.account_id : owner.environment;
  // Retire changed rows too until they are saved, so that two products can swap NDCs.
  await retireRows(tx, kind, id, [...diff.retired, ...diff.changed.map(({ key }) => key)], now);
  // The plan has checked these rows against the columns of this kind.
  const saveOwn = savers[kind] as unknown as SaveOwn;
  await saveOwn(tx, id, rows, now);
}

/**
 * An import never sets stock. It records a count, and the ledger keeps the difference. For a controlled substance it can
 * record only the initial inventory.
 */
async function saveCounts(
  tx: Tx,
  { account_id, clock_offset_s }: AccountRow,
  { diff, rows }: ImportPlan,
  source: string,
  now: Date,
): Promise<void> {
  const controlled = await listControlledWithLedger(
    tx,
    account_id,
    diff.changed.map(({ key }) => String(key)),
  );
  if (controlled.length > 0) {
    const skus = controlled.map(({ sku }) => sku).join(", ");
    throw new AdminRefusal(
      `A file cannot count controlled substances again, because a pharmacist must explain each difference. Remove ${skus} from the file, and run \`pestle stock count\`.`,
    );
  }
  const counted = new Map((rows as unknown as StockRow[]).map(({ sku, on_hand_units }) => [sku, on_hand_units]));
  const shelves = await lockShelves(tx, account_id, [...counted.keys()]);
  const below = shelves.filter((shelf) => isBelowLots(shelf, counted.get(shelf.sku)!)).map(({ sku }) => sku);
  if (below.length > 0) throw new AdminRefusal(`${lotRefusals.lots_above} This concerns ${below.join(", ")}.`);
  const before = new Map(diff.changed.map(({ key, fields }) => [key, fields[0]?.from as number]));
  const entries = (rows as unknown as StockRow[]).flatMap(
    ({ sku, on_hand_units, reserved_units }) =>
      countedEntry({ sku, on_hand_units: before.get(sku)!, reserved_units }, on_hand_units, source) ?? [],
  );
  await enterStock(tx, account_id, entries, accountNow(now, clock_offset_s));
}
