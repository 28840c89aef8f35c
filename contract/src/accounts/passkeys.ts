/** What a passkey is used for: the only factor, after the password, or before a sensitive change. */
export const passkeyPurposes = ["sign_in", "second_factor", "confirm"] as const;
export type PasskeyPurpose = (typeof passkeyPurposes)[number];

/** Bytes as base64url text without padding, as the browser's `toJSON` writes them. */
export type Base64Url = string;

export type PasskeyDescriptor = { id: Base64Url; type: "public-key"; transports: readonly string[] };

/** `POST /session/passkey/options`: what the browser's `credentials.get` takes. */
export type PasskeyRequest = {
  challenge: Base64Url;
  rpId: string;
  timeout: number;
  userVerification: "required" | "discouraged";
  /** Empty: the authenticator offers the passkeys that it knows. */
  allowCredentials: readonly PasskeyDescriptor[];
};

/** `POST /session/passkey/new`: what the browser's `credentials.create` takes. */
export type NewPasskeyRequest = {
  challenge: Base64Url;
  rp: { id: string; name: string };
  user: { id: Base64Url; name: string; displayName: string };
  pubKeyCredParams: readonly { type: "public-key"; alg: number }[];
  timeout: number;
  attestation: "none";
  authenticatorSelection: { residentKey: "preferred"; userVerification: "preferred" };
  excludeCredentials: readonly PasskeyDescriptor[];
};

/** The browser's answer to `credentials.get`. */
export type PasskeyAnswer = {
  id: Base64Url;
  type: string;
  response: {
    clientDataJSON: Base64Url;
    authenticatorData: Base64Url;
    signature: Base64Url;
    userHandle?: Base64Url | null;
  };
};
/** The browser's answer to `credentials.create`. */
export type NewPasskeyAnswer = {
  id: Base64Url;
  type: string;
  response: { clientDataJSON: Base64Url; attestationObject: Base64Url; transports?: readonly string[] };
};

/** A passkey, as its owner sees it. */
export type ShownPasskey = {
  passkey_id: string;
  name: string;
  /** Whether the authenticator copies it to the owner's other devices. */
  backed_up: boolean;
  created_at: string;
  last_used_at: string | null;
};
export type ShownPasskeys = { passkeys: ShownPasskey[] };

export const MOST_PASSKEYS = 20;
export const LONGEST_PASSKEY_NAME = 60;
/** COSE numbers: Ed25519, ECDSA with P-256, RSA PKCS#1 with SHA-256. */
export const passkeyAlgorithms = [-8, -7, -257] as const;
