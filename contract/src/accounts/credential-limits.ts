/** What a credential demands of the programs that use it, in portal and dashboard. */
export type CredentialLimits = {
  /** Tokens only for a client assertion. The secret then only signs webhooks. */
  key_required: boolean;
  /** IP addresses and networks that can request tokens and call the API. Empty: all. */
  allowed_networks: string[];
  /** Null: 12 hours. */
  token_lifetime_s: number | null;
};
/** Omitted fields stay as they are. */
export type CredentialLimitsUpdate = Partial<CredentialLimits>;

/** A public key that verifies the credential's client assertions. */
export type CredentialKey = { kid: string; kty: string; created_at: string; last_used_at: string | null };
/** A JWK, or the text of a JWK or of a PEM public key. */
export type CredentialKeyInput = { key: string | Record<string, unknown> };
export type CredentialKeyRemoval = { kid: string };

/** A webhook endpoint, and the secret of the credential that signs its requests. */
export type SignedEndpoint = { id: string; url: string; secret_id: number };

export type CredentialSecret = {
  secret_id: number;
  created_at: string;
  last_used_at: string | null;
  /** The pages warn after this time (setting SECRET_ROTATION_DAYS). The secret keeps working. */
  rotate_by: string;
};
