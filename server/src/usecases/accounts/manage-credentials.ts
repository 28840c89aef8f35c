import { hash } from "node:crypto";
import { scopes as knownScopes } from "@pestle/contract";
import {
  type CredentialRow,
  digestPlace,
  insertCredential,
  insertSecret,
  loadCredential,
  lockCredential,
  revokeCredentialRow,
  revokeSecret,
} from "../../db/accounts/credentials.ts";
import { announce } from "../../db/bus.ts";
import type { Tx } from "../../db/db.ts";
import { switchSigning } from "../../db/webhooks/endpoints.ts";
import { CLIENT_ID } from "../../domain/accounts/client-credentials.ts";
import { randomId, randomSecret } from "../../random.ts";
import type { Vault } from "../../vault/vault.ts";
import { AdminRefusal } from "./admin-refusal.ts";

const NETWORK_SCOPE =
  "The scope intake is for e-prescription networks, not for a partner's account. Create the network's credential in your own account (--operator).";

const NO_SUCH_SECRET = "This credential has no live secret with that number.";

/** The client secret is shown only here; the database stores its sealed digest. */
export type ShownSecret = { client_id: string; client_secret: string; secret_id: number };
type ManageDeps = { vault: Vault };

export async function createCredential(
  deps: ManageDeps,
  tx: Tx,
  given: { account_id: string; name: string; scopes: string[] },
  now: Date,
): Promise<ShownSecret> {
  const unknown = given.scopes.filter((scope) => !(scope in knownScopes));
  if (unknown.length > 0) throw new AdminRefusal(`The scopes are ${Object.keys(knownScopes).join(" and ")}.`);
  const credential_id = randomId(8);
  await insertCredential(tx, { ...given, credential_id, created_at: now });
  return addSecret(deps, tx, { account_id: given.account_id, credential_id, secret_id: 1, slot: 1 }, now);
}

/** For people who choose the scopes: a partner's account sends no prescriptions. */
export function requireFittingScopes({ partner_id }: { partner_id: string | null }, scopes: readonly string[]): void {
  if (partner_id !== null && scopes.includes("intake")) throw new AdminRefusal(NETWORK_SCOPE);
}

/** Adds a second live secret. Both work until `finishRotation` ends the older one. */
export async function rotateCredential(deps: ManageDeps, tx: Tx, client_id: string, now: Date): Promise<ShownSecret> {
  const { account_id, credential_id, secrets, last_secret_id } = await lockedCredential(tx, client_id);
  const [first, second] = secrets;
  if (second !== undefined) {
    throw new AdminRefusal(
      "This credential has two live secrets. Finish its rotation first, which ends the older one (--finish).",
    );
  }
  const slot = first?.slot === 1 ? 2 : 1;
  await announce(tx, { kind: "credential", account_id, id: credential_id });
  return addSecret(deps, tx, { account_id, credential_id, secret_id: last_secret_id + 1, slot }, now);
}

/** From the next attempt on, signs the webhooks of every endpoint of this credential with one of its live secrets. */
export async function signWith(tx: Tx, client_id: string, secret_id: number, account_now: Date): Promise<void> {
  const { account_id, credential_id, secrets } = await lockedCredential(tx, client_id);
  if (!secrets.some((secret) => secret.secret_id === secret_id)) throw new AdminRefusal(NO_SUCH_SECRET);
  await switchSigning(tx, account_id, credential_id, secret_id, account_now);
}

/** Ends the older of two live secrets. Tokens issued with it stay valid until they expire. */
export async function finishRotation(tx: Tx, client_id: string, now: Date): Promise<number> {
  const { account_id, credential_id, secrets } = await lockedCredential(tx, client_id);
  const [older, newer] = secrets;
  if (older === undefined || newer === undefined) {
    throw new AdminRefusal("This credential has one live secret, so there is no rotation to finish.");
  }
  await revokeSecret(tx, { account_id, credential_id, secret_id: older.secret_id, tokens_void: false }, now);
  await announce(tx, { kind: "credential", account_id, id: credential_id });
  return older.secret_id;
}

/** For a leak: revokes the credential or one of its secrets at once, together with its tokens. */
export async function revokeCredential(tx: Tx, client_id: string, now: Date, secret_id?: number): Promise<void> {
  const { account_id, credential_id, secrets } = await lockedCredential(tx, client_id);
  if (secret_id === undefined) {
    await revokeCredentialRow(tx, account_id, credential_id, now);
  } else {
    if (!secrets.some((secret) => secret.secret_id === secret_id)) throw new AdminRefusal(NO_SUCH_SECRET);
    await revokeSecret(tx, { account_id, credential_id, secret_id, tokens_void: true }, now);
  }
  await announce(tx, { kind: "credential", account_id, id: credential_id });
}

export function splitClientId(client_id: string): { account_id: string; credential_id: string } | undefined {
  const [, account_id, credential_id] = CLIENT_ID.exec(client_id) ?? [];
  return account_id !== undefined && credential_id !== undefined ? { account_id, credential_id } : undefined;
}

/** The live credential, locked until the transaction ends. */
export async function lockedCredential(tx: Tx, client_id: string): Promise<CredentialRow & { last_secret_id: number }> {
  const ids = splitClientId(client_id);
  const locked = ids && (await lockCredential(tx, ids.account_id, ids.credential_id));
  const credential = ids && (await loadCredential(tx, ids.account_id, ids.credential_id));
  if (locked === undefined || credential === undefined) throw new AdminRefusal("There is no such credential.");
  if (locked.revoked_at !== null) throw new AdminRefusal("This credential was revoked. Create a new one.");
  return { ...credential, last_secret_id: locked.last_secret_id };
}

async function addSecret(
  deps: ManageDeps,
  tx: Tx,
  key: { account_id: string; credential_id: string; secret_id: number; slot: 1 | 2 },
  now: Date,
): Promise<ShownSecret> {
  const client_secret = randomSecret();
  const digest = Buffer.from(hash("sha256", client_secret, "hex"));
  const digest_sealed = deps.vault.seal(digest, digestPlace(key.account_id, key.credential_id, key.secret_id));
  await insertSecret(tx, { ...key, digest_sealed, created_at: now });
  return { client_id: `${key.account_id}-${key.credential_id}`, client_secret, secret_id: key.secret_id };
}
