import type {
  AuditAction,
  DashboardCredential,
  DashboardPartner,
  NewPartnerRequest,
  RoutingRuleRequest,
  ShownCredential,
} from "@pestle/contract";
import { type AccountRow, listAccounts } from "../../db/accounts/accounts.ts";
import { type CredentialRow, countCredentials, listCredentials } from "../../db/accounts/credentials.ts";
import type { Queryable, Tx } from "../../db/db.ts";
import { listRoutingRules } from "../../db/intake/routing.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { transact } from "../write.ts";
import { createPartnerAccount } from "./create-partner.ts";
import {
  createCredential,
  finishRotation,
  revokeCredential,
  rotateCredential,
  splitClientId,
} from "./manage-credentials.ts";
import { addRoutingRule, removeRoutingRule } from "./manage-routing.ts";

/** The admin and their request, for the audit entry in each change's transaction. */
export type Admin = Looker & { request_id: string };

export async function readPartners(db: Queryable): Promise<DashboardPartner[]> {
  // One query at a time, because a caller may pass a transaction.
  const accounts = await listAccounts(db);
  const rules = await listRoutingRules(db);
  const credentials = await countCredentials(db);
  return accounts.map(
    ({ account_id, partner_id, name, environment, workflow, ncpdp_id, custom_labels, created_at }) => ({
      ...{ account_id, partner_id, name, environment, workflow, ncpdp_id, custom_labels },
      created_at: created_at.toISOString(),
      routing_rules: rules.filter((rule) => rule.account_id === account_id).map(({ kind, value }) => ({ kind, value })),
      credentials: credentials.find((one) => one.account_id === account_id)?.count ?? 0,
    }),
  );
}

export const openPartner = (deps: Deps, by: Admin, given: NewPartnerRequest): Promise<DashboardPartner> =>
  transact(deps, async (tx) => {
    const { ncpdp_id = null, custom_labels = false, ...named } = given;
    const { account_id } = await createPartnerAccount(tx, { ...named, ncpdp_id, custom_labels }, deps.now());
    await note(deps, tx, by, account_id, "partner_created", null);
    return onePartner(tx, account_id);
  });

export const changeRouting = (
  deps: Deps,
  by: Admin,
  account_id: string,
  { kind, value, remove = false }: RoutingRuleRequest,
): Promise<DashboardPartner> =>
  transact(deps, async (tx) => {
    await requireKnown(tx, account_id);
    const rule = { account_id, kind, value };
    await (remove ? removeRoutingRule(tx, rule) : addRoutingRule(tx, rule, deps.now()));
    await note(deps, tx, by, account_id, "routing_changed", null);
    return onePartner(tx, account_id);
  });

export async function readCredentials(db: Queryable, account_id: string): Promise<DashboardCredential[]> {
  await requireKnown(db, account_id);
  return (await listCredentials(db, account_id)).map(shown);
}

export const addCredential = (
  deps: Deps,
  by: Admin,
  account_id: string,
  { name, scopes }: { name: string; scopes: string[] | null },
): Promise<ShownCredential> =>
  transact(deps, async (tx) => {
    const { partner_id } = await requireKnown(tx, account_id);
    // The pharmacy's own account receives messages; a partner's account calls the API.
    const usual = partner_id === null ? ["intake"] : ["partners"];
    const made = await createCredential(deps, tx, { account_id, name, scopes: scopes ?? usual }, deps.now());
    await note(deps, tx, by, account_id, "credential_created", made.client_id);
    return made;
  });

export const addSecret = (deps: Deps, by: Admin, client_id: string): Promise<ShownCredential> =>
  transact(deps, async (tx) => {
    const made = await rotateCredential(deps, tx, client_id, deps.now());
    await note(deps, tx, by, accountOf(client_id), "credential_rotated", client_id);
    return made;
  });

export const endOlderSecret = (deps: Deps, by: Admin, client_id: string): Promise<DashboardCredential> =>
  transact(deps, async (tx) => {
    await finishRotation(tx, client_id, deps.now());
    await note(deps, tx, by, accountOf(client_id), "credential_rotation_finished", client_id);
    return oneCredential(tx, client_id);
  });

export const endCredential = (
  deps: Deps,
  by: Admin,
  client_id: string,
  secret_id: number | undefined,
): Promise<DashboardCredential> =>
  transact(deps, async (tx) => {
    await revokeCredential(tx, client_id, deps.now(), secret_id);
    await note(deps, tx, by, accountOf(client_id), "credential_revoked", client_id);
    return oneCredential(tx, client_id);
  });

export async function requireKnown(db: Queryable, account_id: string): Promise<AccountRow> {
  const account = (await listAccounts(db)).find((row) => row.account_id === account_id);
  if (account === undefined) throw new StatusRefusal(404);
  return account;
}

async function onePartner(tx: Tx, account_id: string): Promise<DashboardPartner> {
  return (await readPartners(tx)).find((row) => row.account_id === account_id)!;
}

const accountOf = (client_id: string): string | null => splitClientId(client_id)?.account_id ?? null;

async function oneCredential(tx: Tx, client_id: string): Promise<DashboardCredential> {
  const rows = await listCredentials(tx, accountOf(client_id) ?? "");
  return rows.map(shown).find((row) => row.client_id === client_id)!;
}

function shown(row: CredentialRow): DashboardCredential {
  const { account_id, credential_id, name, scopes, environment, created_at, revoked_at } = row;
  return {
    client_id: `${account_id}-${credential_id}`,
    ...{ name, scopes, environment },
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
    secrets:
      revoked_at !== null
        ? []
        : row.secrets.map(({ secret_id, created_at, last_used_at }) => ({
            secret_id,
            created_at: new Date(created_at).toISOString(),
            last_used_at: last_used_at && new Date(last_used_at).toISOString(),
          })),
  };
}

const note = (
  deps: Deps,
  tx: Tx,
  { request_id, ...by }: Admin,
  account_id: string | null,
  action: AuditAction,
  subject: string | null,
) => writeAudit({ ...deps, db: tx }, by, { account_id, action, subject }, request_id);
