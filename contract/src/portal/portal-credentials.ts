import type {
  CredentialKey,
  CredentialLimits,
  CredentialSecret,
  SignedEndpoint,
} from "../accounts/credential-limits.ts";

/** `GET …/credentials`, revoked ones last. */
export type PortalCredentials = { credentials: PortalCredential[] };
export type PortalCredential = {
  credential_id: string;
  client_id: string;
  name: string;
  scopes: string[];
  created_at: string;
  revoked_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  /** Active secrets: two during a rotation, the older first. */
  secrets: CredentialSecret[];
  keys: CredentialKey[];
  /** Endpoints signed with it. Switch them before you revoke it. */
  signs_endpoints: SignedEndpoint[];
} & CredentialLimits;
/** `POST …/credentials` returns 201 with a `PortalShownSecret`. */
export type PortalCredentialInput = { name: string };
/** `POST …/credentials/{credential_id}/rotate` returns 201 with it too. The only time the secret is shown. */
export type PortalShownSecret = { client_id: string; client_secret: string; secret_id: number };
/**
 * `POST …/credentials/{credential_id}/sign`: every endpoint that the credential signs is signed with this secret from the
 * next attempt on. Returns 200 with `PortalCredentials`.
 */
export type PortalSigning = { secret_id: number };
/**
 * `POST …/credentials/{credential_id}/revoke`: the whole credential, or one secret. Returns 200 with
 * `PortalCredentials`.
 */
export type PortalRevocation = { secret_id?: number };
// `POST …/credentials/{credential_id}/finish` with `{}` expires the older of two secrets and returns
// `PortalCredentials`.
