import { hash, timingSafeEqual } from "node:crypto";
import type { Environment } from "@pestle/contract";
import { keep } from "../../copies.ts";
import { takeAssertion } from "../../db/accounts/credential-limits.ts";
import {
  type CredentialLimits,
  type CredentialRow,
  digestPlace,
  loadCredential,
} from "../../db/accounts/credentials.ts";
import type { Proof } from "../../db/accounts/tokens.ts";
import type { Deps } from "../../deps.ts";
import { isInNetworks } from "../../domain/accounts/allowed-networks.ts";
import { checkClaims } from "../../domain/accounts/client-assertion.ts";
import type { PresentedClient } from "../../domain/accounts/client-credentials.ts";
import { networkOf } from "../../domain/accounts/network.ts";
import { OAuthRefusal, refusedClient } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { splitClientId } from "./manage-credentials.ts";
import { parsedKey, type VerifyingKey, verifyingKey } from "./verify-assertion.ts";

/** A credential with its live secrets unsealed and its keys parsed, as the token servers keep it in memory. */
export type KnownClient = {
  account_id: string;
  credential_id: string;
  environment: Environment;
  scopes: string[];
  secrets: { secret_id: number; digest: Buffer }[];
  keys: VerifyingKey[];
} & CredentialLimits;
export type AuthenticatedClient = Pick<
  KnownClient,
  "account_id" | "credential_id" | "environment" | "scopes" | "token_lifetime_s"
> & { client_id: string; proof: Proof };

const TOKEN_SERVER_LIMIT = { rate_per_second: 20, burst: 100 };
const FAILURE_LIMIT = { rate_per_second: 30 / 60, burst: 30 };
/** Compared if there is no secret, so that an unknown client takes as long as a wrong secret. */
const NO_DIGEST = Buffer.alloc(64);

/**
 * Finds the client for an id and a secret or an assertion in this environment, or refuses with `invalid_client`. The
 * address counts only after the proof, so that the answer tells strangers nothing.
 */
export async function authenticateClient(
  deps: Deps,
  environment: Environment,
  presented: PresentedClient,
  remote_address: string,
): Promise<AuthenticatedClient> {
  const { client_id } = presented;
  const ids = splitClientId(client_id);
  if (ids === undefined) throw new OAuthRefusal("invalid_client");
  const now_ms = deps.now().getTime();
  const unique =
    "assertion" in presented ? checkClaims(presented.assertion, issuerOf(deps, environment), deps.now()) : null;
  const network = networkOf(remote_address);
  const blocked_s = deps.strangers.wait(network, client_id, FAILURE_LIMIT, now_ms);
  if (blocked_s > 0) throw new OAuthRefusal("too_many_requests", blocked_s);

  const client = await provenClient(deps, ids, network, matcherOf(presented, environment));
  if (client === undefined) {
    deps.strangers.spend(network, client_id, FAILURE_LIMIT, now_ms);
    throw "assertion" in presented ? refusedClient("assertion_key") : new OAuthRefusal("invalid_client");
  }
  const { account_id, credential_id, scopes, token_lifetime_s, key_required, allowed_networks, proof } = client;
  // Only a request with the right secret or key spends the client's own limit.
  const spent = deps.limiter.spend(account_id, `token ${client_id}`, TOKEN_SERVER_LIMIT, now_ms);
  if (!spent.allowed) throw new OAuthRefusal("too_many_requests", spent.retry_after_s);
  if (key_required && "secret_id" in proof) throw refusedClient("key_required");
  if (allowed_networks.length > 0 && !isInNetworks(remote_address, allowed_networks)) throw refusedClient("address");
  if (unique !== null) {
    const jti_hash = hash("sha256", unique.jti, "buffer");
    const assertion = { account_id, credential_id, jti_hash, expires_at: unique.expires_at };
    const taken = await takeAssertion(deps.tenants.of(account_id), assertion);
    if (taken === 0) throw refusedClient("assertion_used");
  }
  return { account_id, credential_id, environment, scopes, token_lifetime_s, client_id, proof };
}

const issuerOf = ({ addresses }: Deps, environment: Environment): string =>
  environment === "sandbox" ? addresses.sandbox_auth_url : addresses.auth_url;

type ClientIds = { account_id: string; credential_id: string };
type Matcher = (client: KnownClient | undefined) => Proof | undefined;

/** Tells whether a client has the secret or the key that the caller used. */
function matcherOf(presented: PresentedClient, environment: Environment): Matcher {
  if ("assertion" in presented) {
    const { assertion } = presented;
    return (client) => {
      const key = client?.environment === environment ? verifyingKey(client.keys, assertion) : undefined;
      return key && { key_id: key.key_id };
    };
  }
  const digest = Buffer.from(hash("sha256", presented.client_secret, "hex"));
  return (client) => {
    const secret_id = matchingSecret(client, environment, digest);
    return secret_id === undefined ? undefined : { secret_id };
  };
}

/** The client from memory, or else from the database. */
async function provenClient(
  deps: Deps,
  ids: ClientIds,
  network: string,
  matches: Matcher,
): Promise<(KnownClient & { proof: Proof }) | undefined> {
  const copy = deps.bus.fresh() ? deps.copies.clients.get(`${ids.account_id}-${ids.credential_id}`) : undefined;
  const known = copy && matches(copy);
  if (copy !== undefined && known !== undefined) return { ...copy, proof: known };
  // A caller without the right secret or key spends its own network's limit, never the client's.
  const spent = deps.strangers.spend(network, "token", TOKEN_SERVER_LIMIT, deps.now().getTime());
  if (!spent.allowed) throw new OAuthRefusal("too_many_requests", spent.retry_after_s);
  // Query the database before every refusal: another process may have just created the secret, and an unknown client
  // must take as long as a known one.
  const { version } = deps.copies;
  const client = await withKeysOfNow(deps, () => readClient(deps, ids));
  const proof = matches(client);
  if (client === undefined || proof === undefined) return undefined;
  deps.strangers.giveBack(network, "token", TOKEN_SERVER_LIMIT);
  // A key of its own: the text from the request would keep the whole form in memory.
  keep(deps.copies, version, deps.copies.clients, `${client.account_id}-${client.credential_id}`, client);
  return { ...client, proof };
}

async function readClient(deps: Deps, { account_id, credential_id }: ClientIds): Promise<KnownClient | undefined> {
  const row = await loadCredential(deps.tenants.of(account_id), account_id, credential_id);
  return row === undefined || row.revoked_at !== null ? undefined : unsealed(deps, row);
}

function unsealed(deps: Deps, row: CredentialRow): KnownClient {
  const { account_id, credential_id, environment, scopes, secrets, keys } = row;
  const { key_required, allowed_networks, token_lifetime_s } = row;
  return {
    ...{ account_id, credential_id, environment, scopes },
    ...{ key_required, allowed_networks, token_lifetime_s },
    keys: keys.map(parsedKey),
    secrets: secrets.map(({ secret_id, digest_sealed }) => ({
      secret_id,
      digest: deps.vault.open(Buffer.from(digest_sealed, "base64"), digestPlace(account_id, credential_id, secret_id)),
    })),
  };
}

/** Always compares 64 bytes twice, so that timing does not reveal how many secrets exist. */
function matchingSecret(client: KnownClient | undefined, environment: Environment, digest: Buffer): number | undefined {
  const secrets = client?.environment === environment ? client.secrets : [];
  let found: number | undefined;
  for (const slot of [0, 1]) {
    const secret = secrets[slot];
    if (timingSafeEqual(secret?.digest ?? NO_DIGEST, digest)) found = secret?.secret_id;
  }
  return found;
}
