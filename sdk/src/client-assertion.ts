import { type Bytes, base64Of, utf8 } from "@pestle/contract/partner";
import { type KeyKind, pkcs8Of } from "./crypto/pem.ts";
import { nodeCrypto } from "./crypto/work-steps.ts";

/** A key as a JSON object (RFC 7517). */
export type Jwk = { readonly kty?: string | undefined };
/** A `KeyObject` of node:crypto: the part that we use. */
export type KeyObjectLike = { readonly type: string; export(options: { format: "jwk" }): unknown };
/** A private key as PEM text, as a JWK, or as a `KeyObject` of node:crypto. */
export type PrivateKey = string | Jwk | KeyObjectLike;
/** Signs a client assertion (RFC 7523, `private_key_jwt`) for a token server. */
export type SignAssertion = (client_id: string, audience: string, now: Date) => Promise<string>;

const LIFETIME_S = 60;

/** Ed25519 signs EdDSA, P-256 signs ES256, and RSA signs PS256. A JWK's `alg` can choose RS256. */
export function assertionSigner(private_key: PrivateKey, key_id: string | undefined): SignAssertion {
  const given = readKey(private_key);
  const kid = key_id ?? given.kid;
  const header = part({ alg: given.alg, typ: "JWT", ...(kid === undefined ? {} : { kid }) });
  let signer: Promise<Sign> | undefined;
  return async (client_id, audience, now) => {
    signer ??= signerOf(given);
    const sign = await signer;
    const iat = Math.floor(now.getTime() / 1000);
    const jti = globalThis.crypto.randomUUID();
    const claims = { iss: client_id, sub: client_id, aud: audience, jti, iat, exp: iat + LIFETIME_S };
    const signed = `${header}.${part(claims)}`;
    return `${signed}.${base64Url(await sign(utf8(signed)))}`;
  };
}

const base64Url = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const part = (value: object): string => base64Url(utf8(JSON.stringify(value)));

type Algorithm = "EdDSA" | "ES256" | "PS256" | "RS256";
type Fields = { readonly [name: string]: unknown };
type ReadKey = { alg: Algorithm; kid?: string | undefined; key: { pkcs8: Bytes } | { jwk: Fields } };

/** Refuses a wrong key at once, before the first token is needed. */
function readKey(private_key: PrivateKey): ReadKey {
  if (typeof private_key === "string") {
    const read = readable(() => pkcs8Of(private_key));
    if (read === undefined) throw new TypeError(NO_KEY);
    return { alg: algorithmOf(read.kind, undefined), key: { pkcs8: read.pkcs8 } };
  }
  if (typeof private_key !== "object" || private_key === null) throw new TypeError(NO_KEY);
  if (isKeyObject(private_key)) {
    if (private_key.type !== "private") throw new TypeError(WRONG_KEY);
    return keyOfJwk(readable(() => private_key.export({ format: "jwk" }) as Jwk) ?? {});
  }
  return keyOfJwk(private_key);
}

const isKeyObject = (key: Jwk | KeyObjectLike): key is KeyObjectLike =>
  "export" in key && typeof key.export === "function";

function keyOfJwk(given: Jwk): ReadKey {
  const jwk: Fields = { ...given };
  if (typeof jwk["kty"] !== "string" || typeof jwk["d"] !== "string") throw new TypeError(NO_KEY);
  const kind = kindOfJwk(jwk);
  if (kind === undefined) throw new TypeError(WRONG_KEY);
  const { kid } = jwk;
  return { alg: algorithmOf(kind, jwk["alg"]), kid: typeof kid === "string" ? kid : undefined, key: { jwk } };
}

function kindOfJwk({ kty, crv }: Fields): KeyKind | undefined {
  if (kty === "RSA") return "RSA";
  if (kty === "EC" && crv === "P-256") return "P-256";
  return kty === "OKP" && crv === "Ed25519" ? "Ed25519" : undefined;
}

const NO_KEY = "private_key is not a private key. Give a PEM text, a JWK or a KeyObject.";
const WRONG_KEY = "private_key must be a private Ed25519, EC P-256 or RSA key.";

function algorithmOf(kind: KeyKind, wanted: unknown): Algorithm {
  if (kind === "Ed25519") return "EdDSA";
  if (kind === "P-256") return "ES256";
  return wanted === "RS256" ? "RS256" : "PS256";
}

function readable<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (cause) {
    throw new TypeError(NO_KEY, { cause });
  }
}

type Sign = (data: Bytes) => Promise<Uint8Array>;

const algorithms = {
  EdDSA: { name: "Ed25519" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
} as const;

async function signerOf({ alg, key }: ReadKey): Promise<Sign> {
  const node = alg === "EdDSA" ? nodeCrypto() : undefined;
  // Node 20 and 22 warn that Ed25519 in WebCrypto is experimental. Their own module does not.
  if (node !== undefined) {
    const given = "jwk" in key ? { key: key.jwk, format: "jwk" } : { key: key.pkcs8, format: "der", type: "pkcs8" };
    return async (data) => node.sign(null, data, given);
  }
  const { subtle } = globalThis.crypto;
  const algorithm = algorithms[alg];
  try {
    // A JWK's own `alg`, `use` and `key_ops` may contradict what the token server accepts.
    const { alg: _alg, use: _use, key_ops: _ops, ext: _ext, ...jwk } = "jwk" in key ? key.jwk : {};
    const made = await ("jwk" in key
      ? subtle.importKey("jwk", jwk, algorithm, false, ["sign"])
      : subtle.importKey("pkcs8", key.pkcs8, algorithm, false, ["sign"]));
    return async (data) => new Uint8Array(await subtle.sign(algorithm, made, data));
  } catch (cause) {
    throw new TypeError(NO_KEY, { cause });
  }
}
