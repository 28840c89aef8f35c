import { MOST_KEYS, MOST_NETWORKS, SHORTEST_TOKEN_LIFETIME_S, TOKEN_LIFETIME_S } from "@pestle/contract";
import { insertKey, removeKey, updateLimits } from "../../db/accounts/credential-limits.ts";
import type { CredentialLimits } from "../../db/accounts/credentials.ts";
import { announce } from "../../db/bus.ts";
import type { Tx } from "../../db/db.ts";
import { normalNetwork } from "../../domain/accounts/allowed-networks.ts";
import { AdminRefusal } from "./admin-refusal.ts";
import { lockedCredential } from "./manage-credentials.ts";
import { readKey } from "./verify-assertion.ts";

/** Registers a public key. Tokens for its assertions work at once. Returns its `kid`. */
export async function addCredentialKey(tx: Tx, client_id: string, given: unknown, now: Date): Promise<string> {
  const { kid, jwk } = readKey(given);
  const { account_id, credential_id, keys } = await lockedCredential(tx, client_id);
  if (keys.length >= MOST_KEYS) throw new AdminRefusal(`A credential has at most ${MOST_KEYS} keys. Remove one first.`);
  if (keys.some((key) => key.kid === kid)) {
    throw new AdminRefusal("This credential already has a key with that kid. Give the new key another kid.");
  }
  await insertKey(tx, { account_id, credential_id, kid, jwk, created_at: now });
  await announce(tx, { kind: "credential", account_id, id: credential_id });
  return kid;
}

/** Removes a key together with the tokens issued for it. */
export async function removeCredentialKey(tx: Tx, client_id: string, kid: string, now: Date): Promise<void> {
  const { account_id, credential_id, keys, key_required } = await lockedCredential(tx, client_id);
  if (!keys.some((key) => key.kid === kid)) throw new AdminRefusal("This credential has no key with that kid.");
  if (key_required && keys.length === 1) {
    throw new AdminRefusal("This credential requires a key, and this is its only one. Add the new key first.");
  }
  await removeKey(tx, account_id, credential_id, kid, now);
  await announce(tx, { kind: "credential", account_id, id: credential_id });
}

/** Changes the given limits and leaves the others. A shorter token lifetime applies to new tokens. */
export async function limitCredential(
  tx: Tx,
  client_id: string,
  change: Partial<CredentialLimits>,
): Promise<CredentialLimits> {
  const networks = change.allowed_networks && readNetworks(change.allowed_networks);
  const lifetime = change.token_lifetime_s ?? null;
  if (lifetime !== null && !(lifetime >= SHORTEST_TOKEN_LIFETIME_S && lifetime <= TOKEN_LIFETIME_S)) {
    throw new AdminRefusal(`A token lasts ${SHORTEST_TOKEN_LIFETIME_S} to ${TOKEN_LIFETIME_S} seconds.`);
  }
  const { account_id, credential_id, keys, ...known } = await lockedCredential(tx, client_id);
  const limits = {
    key_required: change.key_required ?? known.key_required,
    allowed_networks: networks ?? known.allowed_networks,
    token_lifetime_s: change.token_lifetime_s === undefined ? known.token_lifetime_s : lifetime,
  };
  if (limits.key_required && keys.length === 0) {
    throw new AdminRefusal("This credential has no key yet. Register one before you require it.");
  }
  await updateLimits(tx, account_id, credential_id, limits);
  await announce(tx, { kind: "credential", account_id, id: credential_id });
  return limits;
}

function readNetworks(given: readonly string[]): string[] {
  const networks = given.map((text) => {
    const network = normalNetwork(text.trim());
    if (network === undefined) {
      throw new AdminRefusal(`“${text.slice(0, 60)}” is not an IP address or network. Write it like 192.0.2.0/24.`);
    }
    return network;
  });
  if (networks.length > MOST_NETWORKS) throw new AdminRefusal(`A credential allows at most ${MOST_NETWORKS} networks.`);
  return [...new Set(networks)];
}
