import {
  type Bytes,
  base64Of,
  bytesOfBase64,
  type CryptoSteps,
  digest,
  hexOf,
  joined,
  utf8,
} from "@pestle/contract/partner";

/** The `key` of both authenticity headers. */
export function* signingKey(client_secret: string): CryptoSteps<Bytes> {
  return utf8(hexOf(yield* digest("SHA-256", utf8(client_secret))));
}

/** `X-Service-Signature`. */
export function* serviceSignature(key: Bytes, method: string, url: string, body: string): CryptoSteps<string> {
  return withNewline(yield* digest("SHA-1", utf8(formUrlEncode(method + url + body)), key));
}

/** `X-Service-Secret`. */
export function* serviceSecret(key: Bytes, webhook_secret: string): CryptoSteps<string> {
  return withNewline(yield* digest("SHA-1", utf8(webhook_secret), key));
}

/** The `webhook-signature` of Standard Webhooks. */
export function* standardSignature(
  signing_secret: string,
  webhook_id: string,
  timestamp: string,
  body: string,
): CryptoSteps<string> {
  const key = keyOf(signing_secret);
  return `v1,${base64Of(yield* digest("SHA-256", utf8(`${webhook_id}.${timestamp}.${body}`), key))}`;
}

/** Keeps `A-Z a-z 0-9 _ . - ~`, and encodes a space as `+` and every other UTF-8 byte as `%XX`. */
export const formUrlEncode = (text: string): string =>
  // A lone surrogate has no UTF-8 bytes: it becomes U+FFFD, as in any encoder.
  encodeURIComponent(new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8(text)))
    .replaceAll("%20", "+")
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** The newline follows the digest before base64. */
const withNewline = (bytes: Bytes): string => base64Of(joined(bytes, Uint8Array.of(10)));

function keyOf(signing_secret: string): Bytes {
  try {
    const key = bytesOfBase64(signing_secret.replace(/^whsec_/, ""));
    if (key.length > 0) return key;
  } catch {
    // The error below is clearer than the one of atob.
  }
  throw new TypeError("signing_secret must be `whsec_…`.");
}

/** Constant time: depends only on the lengths. */
export function sameText(expected: string, received: string): boolean {
  if (expected.length !== received.length) return false;
  let different = 0;
  for (let index = 0; index < expected.length; index++) {
    different |= expected.charCodeAt(index) ^ received.charCodeAt(index);
  }
  return different === 0;
}
