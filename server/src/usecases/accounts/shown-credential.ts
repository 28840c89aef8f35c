import type { CredentialKey, CredentialLimits, CredentialSecret, SignedEndpoint } from "@pestle/contract";
import type { Config } from "../../config.ts";
import type { CredentialRow } from "../../db/accounts/credentials.ts";
import type { EndpointRow } from "../../db/webhooks/endpoints.ts";

const DAY_MS = 24 * 3600 * 1000;

/** Until when a secret should be replaced. It keeps working after that. */
export const rotateBy = ({ SECRET_ROTATION_DAYS }: Pick<Config, "SECRET_ROTATION_DAYS">, created_at: string): Date =>
  new Date(new Date(created_at).getTime() + SECRET_ROTATION_DAYS * DAY_MS);

/** What portal and dashboard show of a credential's secrets, keys and limits. */
export function shownProofs(
  config: Pick<Config, "SECRET_ROTATION_DAYS">,
  row: CredentialRow,
): { secrets: CredentialSecret[]; keys: CredentialKey[] } & CredentialLimits {
  const time = (at: string | null) => at && new Date(at).toISOString();
  const live = row.revoked_at === null;
  return {
    secrets: row.secrets
      .filter(() => live)
      .map(({ secret_id, created_at, last_used_at }) => ({
        secret_id,
        created_at: time(created_at)!,
        last_used_at: time(last_used_at),
        rotate_by: rotateBy(config, created_at).toISOString(),
      })),
    keys: row.keys
      .filter(() => live)
      .map(({ kid, jwk, created_at, last_used_at }) => ({
        kid,
        kty: jwk.kty,
        created_at: time(created_at)!,
        last_used_at: time(last_used_at),
      })),
    key_required: row.key_required,
    allowed_networks: row.allowed_networks,
    token_lifetime_s: row.token_lifetime_s,
  };
}

/** The endpoints whose webhooks a credential signs. */
export const signedEndpoints = (credential_id: string, endpoints: readonly EndpointRow[]): SignedEndpoint[] =>
  endpoints
    .filter(({ signing_credential_id }) => signing_credential_id === credential_id)
    .map(({ endpoint_id: id, url, signing_credential_secret_id: secret_id }) => ({ id, url, secret_id }));
