import { constants, createPrivateKey, type JsonWebKey, KeyObject, randomUUID, sign } from "node:crypto";

/** A private key as PEM text, as a JWK, or as a `KeyObject` of node:crypto. */
export type PrivateKey = string | JsonWebKey | KeyObject;
/** Signs a client assertion (RFC 7523, `private_key_jwt`) for a token server. */
export type SignAssertion = (client_id: string, audience: string, now: Date) => string;

const LIFETIME_S = 60;

/** Ed25519 signs EdDSA, P-256 signs ES256, and RSA signs PS256. A JWK's `alg` can choose RS256. */
export function assertionSigner(private_key: PrivateKey, key_id: string | undefined): SignAssertion {
  const key = keyOf(private_key);
  const given = typeof private_key === "object" && !(private_key instanceof KeyObject) ? private_key : {};
  const alg = algorithmOf(key, given["alg"]);
  const kid = key_id ?? (typeof given["kid"] === "string" ? given["kid"] : undefined);
  const header = part({ alg, typ: "JWT", ...(kid === undefined ? {} : { kid }) });
  return (client_id, audience, now) => {
    const iat = Math.floor(now.getTime() / 1000);
    const claims = { iss: client_id, sub: client_id, aud: audience, jti: randomUUID(), iat, exp: iat + LIFETIME_S };
    const signed = `${header}.${part(claims)}`;
    return `${signed}.${signatureOf(alg, key, Buffer.from(signed)).toString("base64url")}`;
  };
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function keyOf(private_key: PrivateKey): KeyObject {
  if (private_key instanceof KeyObject) return private_key;
  try {
    if (typeof private_key === "string") return createPrivateKey(private_key);
    return createPrivateKey({ key: private_key, format: "jwk" });
  } catch (cause) {
    throw new TypeError("private_key is not a private key. Give a PEM text, a JWK or a KeyObject.", { cause });
  }
}

type Algorithm = "EdDSA" | "ES256" | "PS256" | "RS256";

function algorithmOf(key: KeyObject, wanted: unknown): Algorithm {
  if (key.type === "private") {
    const { asymmetricKeyType, asymmetricKeyDetails } = key;
    if (asymmetricKeyType === "ed25519") return "EdDSA";
    if (asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1") return "ES256";
    if (asymmetricKeyType === "rsa") return wanted === "RS256" ? "RS256" : "PS256";
  }
  throw new TypeError("private_key must be a private Ed25519, EC P-256 or RSA key.");
}

function signatureOf(alg: Algorithm, key: KeyObject, signed: Buffer): Buffer {
  switch (alg) {
    case "EdDSA":
      return sign(null, signed, key);
    case "ES256":
      return sign("sha256", signed, { key, dsaEncoding: "ieee-p1363" });
    case "PS256":
      return sign("sha256", signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
    case "RS256":
      return sign("sha256", signed, key);
  }
}
