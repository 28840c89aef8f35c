import { type Bytes, bytesOfBase64, bytesOfHex, hexOf, joined } from "@pestle/contract/partner";

export type KeyKind = "Ed25519" | "P-256" | "RSA";

/** The object identifiers of the keys that can sign, in DER. */
const ED25519 = "06032b6570";
const EC = "06072a8648ce3d0201";
const P256 = "06082a8648ce3d030107";
const RSA = "06092a864886f70d010101";

/** An unencrypted private key in PEM as PKCS #8, which WebCrypto reads. Undefined for any other text. */
export function pkcs8Of(pem: string): { kind: KeyKind; pkcs8: Bytes } | undefined {
  const block = /-----BEGIN (RSA |EC |)PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END \1PRIVATE KEY-----/.exec(pem);
  if (block === null) return undefined;
  const der = bytesOfBase64(block[2]!.replaceAll(/\s/g, ""));
  // The older forms of OpenSSL are the inner part of PKCS #8.
  if (block[1] === "RSA ") return { kind: "RSA", pkcs8: wrapped(`${RSA}0500`, der) };
  if (block[1] === "EC ")
    return hexOf(der).includes(P256) ? { kind: "P-256", pkcs8: wrapped(EC + P256, der) } : undefined;
  const kind = kindOf(der);
  return kind && { kind, pkcs8: der };
}

/** Reads the algorithm: it follows the version in the outer sequence. */
function kindOf(der: Bytes): KeyKind | undefined {
  const outer = elementAt(der, 0);
  const version = outer && elementAt(der, outer.start);
  const algorithm = version && elementAt(der, version.end);
  if (algorithm === undefined) return undefined;
  const named = hexOf(der.subarray(algorithm.start, algorithm.end));
  if (named === ED25519) return "Ed25519";
  if (named === EC + P256) return "P-256";
  return named.startsWith(RSA) ? "RSA" : undefined;
}

/** Where the value of the element at this place starts and ends. */
function elementAt(der: Bytes, at: number): { start: number; end: number } | undefined {
  const first = der[at + 1];
  if (first === undefined) return undefined;
  const more = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + more;
  const length = more === 0 ? first : der.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  return start + length <= der.length ? { start, end: start + length } : undefined;
}

const SEQUENCE = 0x30;
const OCTET_STRING = 0x04;

const wrapped = (algorithm: string, key: Bytes): Bytes =>
  element(
    SEQUENCE,
    joined(Uint8Array.of(2, 1, 0), element(SEQUENCE, bytesOfHex(algorithm)!), element(OCTET_STRING, key)),
  );

const element = (tag: number, value: Bytes): Bytes => joined(Uint8Array.of(tag, ...lengthOf(value.length)), value);

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
