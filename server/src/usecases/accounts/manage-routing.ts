import { listAccounts } from "../../db/accounts/accounts.ts";
import type { Tx } from "../../db/db.ts";
import { deleteRoutingRule, insertRoutingRule, listRoutingRules, type RoutingRule } from "../../db/intake/routing.ts";
import { npiPasses } from "../../domain/values/identifiers.ts";
import { AdminRefusal } from "./admin-refusal.ts";

/** Adds a rule that separates an account's messages from those of other accounts with the same NCPDP ID. */
export async function addRoutingRule(tx: Tx, rule: RoutingRule, now: Date): Promise<void> {
  const accounts = await listAccounts(tx);
  const own = accounts.find(({ account_id }) => account_id === rule.account_id);
  if (own === undefined) throw new AdminRefusal("There is no such account. `pestle partner list` shows all accounts.");
  if (own.ncpdp_id === null) throw new AdminRefusal("This account has no NCPDP ID, so no message is addressed to it.");
  if (!/^[^\p{Cc}]{1,200}$/u.test(rule.value)) throw new AdminRefusal("A rule's value must have 1 to 200 characters.");
  if (rule.kind === "prescriber_npi" && !npiPasses(rule.value)) {
    throw new AdminRefusal("An NPI must have 10 digits with a correct check digit.");
  }
  const sharing = new Set(
    accounts
      .filter(({ ncpdp_id, environment }) => ncpdp_id === own.ncpdp_id && environment === own.environment)
      .map(({ account_id }) => account_id),
  );
  const same = (await listRoutingRules(tx)).filter(
    ({ account_id, kind, value }) =>
      sharing.has(account_id) && kind === rule.kind && value.toLowerCase() === rule.value.toLowerCase(),
  );
  if (same.some(({ account_id }) => account_id === rule.account_id)) throw new AdminRefusal(THERE);
  // A message that matches both rules would go to neither account.
  if (same.length > 0) throw new AdminRefusal("Another account with the same NCPDP ID has this rule.");
  if ((await insertRoutingRule(tx, rule, now)) === 0) throw new AdminRefusal(THERE);
}

const THERE = "This account already has this rule.";

export async function removeRoutingRule(tx: Tx, rule: RoutingRule): Promise<void> {
  if ((await deleteRoutingRule(tx, rule)) === 0) throw new AdminRefusal("This account has no such rule.");
}
