/** `GET …/credentials`, those that were revoked at the end. */
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
  /** Those that are live: two while it is being rotated, the older one first. */
  secrets: { secret_id: number; created_at: string; last_used_at: string | null }[];
  /** Endpoints that are signed with it: to be switched before it is revoked. */
  signs_endpoints: { id: string; url: string; secret_id: number }[];
};
/** `POST …/credentials`, answered 201 with a `PortalShownSecret`. */
export type PortalCredentialInput = { name: string };
/** `POST …/credentials/{credential_id}/rotate` answers 201 with it too. The only time the secret is seen. */
export type PortalShownSecret = { client_id: string; client_secret: string; secret_id: number };
/** `POST …/credentials/{credential_id}/revoke`: all of it, or one secret. Answers 200 with the `PortalCredentials`. */
export type PortalRevocation = { secret_id?: number };
// `POST …/credentials/{credential_id}/finish` with `{}` ends the older of two secrets, and answers `PortalCredentials`.
