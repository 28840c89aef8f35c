import type { Environment, Workflow } from "@pestle/contract";
import {
  type AccountRow,
  findPartner,
  insertAccount,
  insertPartner,
  listAccounts,
} from "../../db/accounts/accounts.ts";
import type { Tx } from "../../db/db.ts";
import { randomId } from "../../random.ts";
import { AdminRefusal } from "./admin-refusal.ts";

export type NewPartner = {
  name: string;
  environment: Environment;
  workflow: Workflow;
  ncpdp_id: string | null;
  custom_labels?: boolean;
};

/** Creates a partner's account in one environment, and the partner itself with its first account. */
export async function createPartnerAccount(tx: Tx, given: NewPartner, now: Date): Promise<AccountRow> {
  if (!/^[^\p{Cc}]{1,100}$/u.test(given.name))
    throw new AdminRefusal("A partner's name must have 1 to 100 characters.");
  if (given.ncpdp_id !== null && !/^\d{7}$/.test(given.ncpdp_id))
    throw new AdminRefusal("An NCPDP ID must have 7 digits.");
  let partner = await findPartner(tx, given.name);
  if (partner === undefined) {
    partner = { partner_id: randomId(12) };
    await insertPartner(tx, { ...partner, name: given.name, created_at: now });
  }
  const account = {
    account_id: randomId(12),
    partner_id: partner.partner_id,
    environment: given.environment,
    workflow: given.workflow,
    ncpdp_id: given.ncpdp_id,
    custom_labels: given.custom_labels ?? false,
    created_at: now,
  };
  if ((await insertAccount(tx, account)) === 0) {
    throw new AdminRefusal(`This partner already has a ${given.environment} account.`);
  }
  return { ...account, name: given.name, rate_per_second: null, rate_burst: null, clock_offset_s: 0 };
}

/** The operator's account in an environment, created when first needed. It owns intake credentials. */
export async function operatorAccount(tx: Tx, environment: Environment, now: Date): Promise<string> {
  const account_id = randomId(12);
  await insertAccount(tx, {
    account_id,
    partner_id: null,
    environment,
    workflow: null,
    ncpdp_id: null,
    custom_labels: false,
    created_at: now,
  });
  const own = (await listAccounts(tx)).find((row) => row.partner_id === null && row.environment === environment);
  return own?.account_id ?? account_id;
}
