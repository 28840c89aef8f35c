import type {
  AuditAction,
  DashboardCredential,
  DashboardPartner,
  NewPartnerRequest,
  RoutingRuleRequest,
  ShownCredential,
} from "@pestle/contract";
import type { Config } from "../../config.ts";
import { type AccountRow, listAccounts } from "../../db/accounts/accounts.ts";
import {
  type CredentialLimits,
  type CredentialRow,
  countCredentials,
  listCredentials,
} from "../../db/accounts/credentials.ts";
import type { Queryable, Tx } from "../../db/db.ts";
import { listRoutingRules } from "../../db/intake/routing.ts";
import { type EndpointRow, listEndpoints } from "../../db/webhooks/endpoints.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { transact } from "../write.ts";
import { createPartnerAccount } from "./create-partner.ts";
import { addCredentialKey, limitCredential, removeCredentialKey } from "./limit-credential.ts";
import {
  createCredential,
  finishRotation,
  requireFittingScopes,
  revokeCredential,
  rotateCredential,
  splitClientId,
} from "./manage-credentials.ts";
import { addRoutingRule, removeRoutingRule } from "./manage-routing.ts";
import { shownProofs, signedEndpoints } from "./shown-credential.ts";

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

export async function readCredentials(
  { db, config }: Pick<Deps, "db" | "config">,
  account_id: string,
): Promise<DashboardCredential[]> {
  await requireKnown(db, account_id);
  return shownCredentials(config, db, account_id);
}

export const addCredential = (
  deps: Deps,
  by: Admin,
  account_id: string,
  { name, scopes }: { name: string; scopes: string[] | null },
): Promise<ShownCredential> =>
  transact(deps, async (tx) => {
    const account = await requireKnown(tx, account_id);
    // The pharmacy's own account receives messages; a partner's account calls the API.
    const wanted = scopes ?? (account.partner_id === null ? ["intake"] : ["partners"]);
    requireFittingScopes(account, wanted);
    const made = await createCredential(deps, tx, { account_id, name, scopes: wanted }, deps.now());
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
    return oneCredential(deps, tx, client_id);
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
    return oneCredential(deps, tx, client_id);
  });

export const changeLimits = (
  deps: Deps,
  by: Admin,
  client_id: string,
  change: Partial<CredentialLimits>,
): Promise<DashboardCredential> =>
  transact(deps, async (tx) => {
    await limitCredential(tx, client_id, change);
    await note(deps, tx, by, accountOf(client_id), "credential_limited", client_id);
    return oneCredential(deps, tx, client_id);
  });

export const addKey = (deps: Deps, by: Admin, client_id: string, key: unknown): Promise<DashboardCredential> =>
  transact(deps, async (tx) => {
    await addCredentialKey(tx, client_id, key, deps.now());
    await note(deps, tx, by, accountOf(client_id), "credential_key_added", client_id);
    return oneCredential(deps, tx, client_id);
  });

export const endKey = (deps: Deps, by: Admin, client_id: string, kid: string): Promise<DashboardCredential> =>
  transact(deps, async (tx) => {
    await removeCredentialKey(tx, client_id, kid, deps.now());
    await note(deps, tx, by, accountOf(client_id), "credential_key_removed", client_id);
    return oneCredential(deps, tx, client_id);
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

async function oneCredential({ config }: Deps, tx: Tx, client_id: string): Promise<DashboardCredential> {
  const rows = await shownCredentials(config, tx, accountOf(client_id) ?? "");
  return rows.find((row) => row.client_id === client_id)!;
}

async function shownCredentials(config: Config, db: Queryable, account_id: string): Promise<DashboardCredential[]> {
  const rows = await listCredentials(db, account_id);
  const endpoints = await listEndpoints(db, account_id);
  return rows.map((row) => shown(config, row, endpoints));
}

function shown(config: Config, row: CredentialRow, endpoints: readonly EndpointRow[]): DashboardCredential {
  const { account_id, credential_id, name, scopes, environment, created_at, revoked_at } = row;
  return {
    client_id: `${account_id}-${credential_id}`,
    ...{ name, scopes, environment },
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
    ...shownProofs(config, row),
    signs_endpoints: signedEndpoints(credential_id, endpoints).map((one) => ({ ...one, url: new URL(one.url).origin })),
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
