import type { Environment } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import {
  type CatalogueVersionRow,
  listCatalogueVersions,
  loadAccountRows,
  loadLicences,
} from "../../db/catalogue/catalogue-rows.ts";
import type { Queryable } from "../../db/db.ts";
import type { Catalogue } from "../../domain/catalogue/rows.ts";
import { requireAccount } from "../accounts/require-account.ts";

/** An account owns its products, brands and methods; an environment owns the pharmacy's licenses. */
export type CatalogueOwner = { account_id: string } | { environment: Environment };

/** A catalogue as table rows, for import and export. */
export async function readCatalogueRows(db: Queryable, owner: CatalogueOwner): Promise<Catalogue> {
  if ("account_id" in owner) await requireAccount(db, owner.account_id);
  return loadOwned(db, owner);
}

export async function loadOwned(db: Queryable, owner: CatalogueOwner): Promise<Catalogue> {
  const nothing = { products: [], brands: [], shipping_methods: [], licences: [], stock: [] };
  return "account_id" in owner
    ? { ...nothing, ...(await loadAccountRows(db, owner.account_id)) }
    : { ...nothing, licences: await loadLicences(db, owner.environment) };
}

/** Every import that changed something, newest first. */
export async function readCatalogueVersions(db: Queryable, owner: CatalogueOwner): Promise<CatalogueVersionRow[]> {
  if ("account_id" in owner) await requireAccount(db, owner.account_id);
  const holder = "account_id" in owner ? owner.account_id : await operatorOf(db, owner.environment);
  return holder === undefined ? [] : listCatalogueVersions(db, holder);
}

/** License versions belong to the operator's account in the environment. */
async function operatorOf(db: Queryable, environment: Environment): Promise<string | undefined> {
  const accounts = await listAccounts(db);
  return accounts.find((row) => row.partner_id === null && row.environment === environment)?.account_id;
}
