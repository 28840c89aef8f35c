import { hash, timingSafeEqual } from "node:crypto";
import type { Environment } from "@pestle/contract";
import { keep } from "../../copies.ts";
import { type CredentialRow, digestPlace, loadCredential } from "../../db/accounts/credentials.ts";
import type { Deps } from "../../deps.ts";
import type { PresentedClient } from "../../domain/accounts/client-credentials.ts";
import { networkOf } from "../../domain/accounts/network.ts";
import { OAuthRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { splitClientId } from "./manage-credentials.ts";

/** A credential with its live secrets unsealed, as the token servers keep it in memory. */
export type KnownClient = {
  account_id: string;
  credential_id: string;
  environment: Environment;
  scopes: string[];
  secrets: { secret_id: number; digest: Buffer }[];
};
export type AuthenticatedClient = Omit<KnownClient, "secrets"> & { client_id: string; secret_id: number };

const TOKEN_SERVER_LIMIT = { rate_per_second: 20, burst: 100 };
const FAILURE_LIMIT = { rate_per_second: 30 / 60, burst: 30 };
/** Compared if there is no secret, so that an unknown client takes as long as a wrong secret. */
const NO_DIGEST = Buffer.alloc(64);

/** Finds the client for an id and secret in this environment, or refuses with `invalid_client`. */
export async function authenticateClient(
  deps: Deps,
  environment: Environment,
  { client_id, client_secret }: PresentedClient,
  remote_address: string,
): Promise<AuthenticatedClient> {
  const now_ms = deps.now().getTime();
  const copy = deps.bus.fresh() ? deps.copies.clients.get(client_id) : undefined;
  const network = networkOf(remote_address);
  const blocked_s = deps.strangers.wait(network, client_id, FAILURE_LIMIT, now_ms);
  if (blocked_s > 0) throw new OAuthRefusal("too_many_requests", blocked_s);

  const digest = Buffer.from(hash("sha256", client_secret, "hex"));
  const known = copy && matchingSecret(copy, environment, digest);
  if (copy !== undefined && known !== undefined) return authenticated(deps, copy, client_id, known, now_ms);

  // A caller without the right secret spends its own network's limit, never the client's.
  const spent = deps.strangers.spend(network, "token", TOKEN_SERVER_LIMIT, now_ms);
  if (!spent.allowed) throw new OAuthRefusal("too_many_requests", spent.retry_after_s);
  // Query the database before every refusal: another process may have just created the secret, and an unknown client
  // must take as long as a known one.
  const { version } = deps.copies;
  const client = await withKeysOfNow(deps, () => readClient(deps, client_id));
  const secret_id = matchingSecret(client, environment, digest);
  if (client === undefined || secret_id === undefined) {
    deps.strangers.spend(network, client_id, FAILURE_LIMIT, now_ms);
    throw new OAuthRefusal("invalid_client");
  }
  deps.strangers.giveBack(network, "token", TOKEN_SERVER_LIMIT);
  keep(deps.copies, version, deps.copies.clients, client_id, client);
  return authenticated(deps, client, client_id, secret_id, now_ms);
}

async function readClient(deps: Deps, client_id: string): Promise<KnownClient | undefined> {
  const { account_id, credential_id } = splitClientId(client_id) ?? { account_id: "", credential_id: "" };
  const row = await loadCredential(deps.db, account_id, credential_id);
  return row === undefined || row.revoked_at !== null ? undefined : unsealed(deps, row);
}

function unsealed(deps: Deps, { account_id, credential_id, environment, scopes, secrets }: CredentialRow): KnownClient {
  return {
    account_id,
    credential_id,
    environment,
    scopes,
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

/** Only a request with the right secret spends the client's own limit. */
function authenticated(
  { limiter }: Deps,
  client: KnownClient,
  client_id: string,
  secret_id: number,
  now_ms: number,
): AuthenticatedClient {
  const { account_id, credential_id, environment, scopes } = client;
  const spent = limiter.spend(account_id, `token ${client_id}`, TOKEN_SERVER_LIMIT, now_ms);
  if (!spent.allowed) throw new OAuthRefusal("too_many_requests", spent.retry_after_s);
  return { account_id, credential_id, environment, scopes, client_id, secret_id };
}
