import { constants, createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import type { AssertionAlgorithm } from "@pestle/contract";
import type { KeyRow } from "../../db/accounts/credentials.ts";
import type { Assertion } from "../../domain/accounts/client-assertion.ts";
import { type PublicJwk, readPublicKey, thumbprintText } from "../../domain/accounts/public-key.ts";
import { AdminRefusal } from "./admin-refusal.ts";

/** A registered key, ready to verify. */
export type VerifyingKey = {
  key_id: number;
  kid: string;
  key: KeyObject;
  algorithms: readonly AssertionAlgorithm[];
};

const SHORTEST_RSA_BITS = 2048;
const LONGEST_RSA_BITS = 4096;

/** Reads a JWK or a PEM public key as a person gives it. Without a `kid`, it is named by its thumbprint (RFC 7638). */
export function readKey(given: unknown): { kid: string; jwk: PublicJwk } {
  const read = readPublicKey(jwkOf(given));
  if (typeof read === "string") throw new AdminRefusal(read);
  const bits = keyOf(read.jwk).asymmetricKeyDetails?.modulusLength ?? SHORTEST_RSA_BITS;
  if (bits < SHORTEST_RSA_BITS || bits > LONGEST_RSA_BITS) {
    throw new AdminRefusal(`An RSA key must have ${SHORTEST_RSA_BITS} to ${LONGEST_RSA_BITS} bits.`);
  }
  return { kid: read.kid ?? hash("sha256", thumbprintText(read.jwk), "base64url"), jwk: read.jwk };
}

export function parsedKey({ key_id, kid, jwk }: KeyRow): VerifyingKey {
  const read = readPublicKey(jwk);
  return { key_id, kid, key: keyOf(jwk), algorithms: typeof read === "string" ? [] : read.algorithms };
}

/** The key that signed the assertion. */
export function verifyingKey(
  keys: readonly VerifyingKey[],
  { kid, algorithm, signed, signature }: Assertion,
): VerifyingKey | undefined {
  const bytes = Buffer.from(signature, "base64url");
  return keys.find(
    (one) =>
      (kid === undefined || one.kid === kid) &&
      one.algorithms.includes(algorithm) &&
      verifies[algorithm](Buffer.from(signed), one.key, bytes),
  );
}

type Verify = (signed: Buffer, key: KeyObject, signature: Buffer) => boolean;
const eddsa: Verify = (signed, key, signature) => verify(null, signed, key, signature);
const verifies: Record<AssertionAlgorithm, Verify> = {
  ES256: (signed, key, signature) => verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature),
  EdDSA: eddsa,
  Ed25519: eddsa,
  // RFC 7518, 3.5: the salt is as long as the hash.
  PS256: (signed, key, signature) =>
    verify("sha256", signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, signature),
  RS256: (signed, key, signature) => verify("sha256", signed, key, signature),
};

function jwkOf(given: unknown): Record<string, unknown> {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  const text = typeof given === "string" ? given.trim() : "";
  if (/PRIVATE KEY-----/.test(text)) return { d: "" };
  try {
    if (text.startsWith("{")) return JSON.parse(text) as Record<string, unknown>;
    return createPublicKey(text).export({ format: "jwk" }) as Record<string, unknown>;
  } catch {
    throw new AdminRefusal("This is not a public key. Give a JWK or a PEM public key.");
  }
}

function keyOf(jwk: PublicJwk): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    throw new AdminRefusal("The members of this key do not form a valid public key.");
  }
}
