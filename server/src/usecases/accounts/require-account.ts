import { type AccountRow, listAccounts } from "../../db/accounts/accounts.ts";
import type { Queryable } from "../../db/db.ts";
import { AdminRefusal } from "./admin-refusal.ts";

/** Finds the partner account that an operator named. */
export async function requireAccount(db: Queryable, account_id: string): Promise<AccountRow> {
  const accounts = await listAccounts(db);
  const account = accounts.find((row) => row.account_id === account_id && row.partner_id !== null);
  if (account === undefined)
    throw new AdminRefusal("There is no such account. `pestle partner list` shows all accounts.");
  return account;
}
