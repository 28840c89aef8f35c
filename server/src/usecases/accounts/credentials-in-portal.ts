import type { AccountRow } from "../../db/accounts/accounts.ts";
import { type CredentialLimits, loadCredential } from "../../db/accounts/credentials.ts";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { audited, type PortalActor } from "../operations/audit-portal.ts";
import { addCredentialKey, limitCredential, removeCredentialKey } from "./limit-credential.ts";
import {
  createCredential,
  finishRotation,
  revokeCredential,
  rotateCredential,
  type ShownSecret,
  signWith,
} from "./manage-credentials.ts";

const NAME = /^[^\p{Cc}]{1,100}$/u;

/** Grants only the partner API; the pharmacy grants other scopes. */
export function createPortalCredential(deps: Deps, by: PortalActor, name: unknown): Promise<ShownSecret> {
  if (typeof name !== "string" || !NAME.test(name.trim())) return refuse(42200, "name");
  const { account_id } = by;
  return audited(deps, by, async (tx, now) => {
    const made = await createCredential(deps, tx, { account_id, name: name.trim(), scopes: ["partners"] }, now);
    return { action: "credential_created", subject: made.client_id, done: made };
  });
}

export function rotatePortalCredential(deps: Deps, by: PortalActor, credential_id: string): Promise<ShownSecret> {
  return audited(deps, by, async (tx, now) => {
    const client_id = await ownClientId(tx, by, credential_id);
    return { action: "credential_rotated", subject: client_id, done: await rotateCredential(deps, tx, client_id, now) };
  });
}

/** Signs the webhooks of all endpoints of a credential with one of its secrets, the new one or again the old one. */
export async function signPortalWebhooks(
  deps: Deps,
  { clock_offset_s }: Pick<AccountRow, "clock_offset_s">,
  by: PortalActor,
  credential_id: string,
  secret_id: unknown,
): Promise<void> {
  if (!Number.isInteger(secret_id)) return refuse(42200, "secret_id");
  await audited(deps, by, async (tx, now) => {
    const client_id = await ownClientId(tx, by, credential_id);
    const done = await signWith(tx, client_id, secret_id as number, accountNow(now, clock_offset_s));
    return { action: "signing_switched", subject: client_id, done };
  });
}

export async function finishPortalRotation(deps: Deps, by: PortalActor, credential_id: string): Promise<void> {
  await audited(deps, by, async (tx, now) => {
    const client_id = await ownClientId(tx, by, credential_id);
    return {
      action: "credential_rotation_finished",
      subject: client_id,
      done: await finishRotation(tx, client_id, now),
    };
  });
}

/** Revokes the whole credential, or one of its secrets. */
export async function revokePortalCredential(
  deps: Deps,
  by: PortalActor,
  credential_id: string,
  secret_id: unknown,
): Promise<void> {
  if (secret_id !== undefined && !Number.isInteger(secret_id)) return refuse(42200, "secret_id");
  await audited(deps, by, async (tx, now) => {
    const client_id = await ownClientId(tx, by, credential_id);
    await revokeCredential(tx, client_id, now, secret_id as number | undefined);
    return { action: "credential_revoked", subject: client_id, done: null };
  });
}

export async function limitPortalCredential(
  deps: Deps,
  by: PortalActor,
  credential_id: string,
  change: Partial<CredentialLimits>,
): Promise<void> {
  await audited(deps, by, async (tx) => {
    const client_id = await ownClientId(tx, by, credential_id);
    return { action: "credential_limited", subject: client_id, done: await limitCredential(tx, client_id, change) };
  });
}

export async function addPortalKey(deps: Deps, by: PortalActor, credential_id: string, key: unknown): Promise<void> {
  await audited(deps, by, async (tx, now) => {
    const client_id = await ownClientId(tx, by, credential_id);
    const done = await addCredentialKey(tx, client_id, key, now);
    return { action: "credential_key_added", subject: client_id, done };
  });
}

export async function removePortalKey(deps: Deps, by: PortalActor, credential_id: string, kid: unknown): Promise<void> {
  await audited(deps, by, async (tx, now) => {
    const client_id = await ownClientId(tx, by, credential_id);
    if (typeof kid !== "string") return refuse(42200, "kid");
    const done = await removeCredentialKey(tx, client_id, kid, now);
    return { action: "credential_key_removed", subject: client_id, done };
  });
}

/** Returns 404 for another account's credential. */
async function ownClientId(tx: Tx, { account_id }: PortalActor, credential_id: string): Promise<string> {
  if ((await loadCredential(tx, account_id, credential_id)) === undefined) throw new StatusRefusal(404);
  return `${account_id}-${credential_id}`;
}
