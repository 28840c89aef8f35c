import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { TIMESTAMP_TOLERANCE_S } from "./webhooks/webhook-headers.ts";

/** The `key` of both authenticity headers. The server stores it encrypted, and never stores the secret. */
export const signingKey = (client_secret: string): string =>
  createHash("sha256").update(client_secret, "utf8").digest("hex");

/** `X-Service-Signature`. Takes the URL as registered and the raw body bytes. */
export const serviceSignature = (key: string, method: string, url: string, body: string): string =>
  digestAndNewline(key, formUrlEncoded(method + url + body));

/** `X-Service-Secret`: computed from the webhook secret as given, not URL-encoded. */
export const serviceSecret = (key: string, webhook_secret: string): string => digestAndNewline(key, webhook_secret);

export const signatureBase = (method: string, url: string, body: string): string => formUrlEncode(method + url + body);

/** Keeps `A-Z a-z 0-9 _ . - ~`, and encodes a space as `+` and every other UTF-8 byte as `%XX`. */
export const formUrlEncode = (text: string): string => formUrlEncoded(text).toString("latin1");

/**
 * The same as bytes. Every webhook signature needs it, so it uses a lookup table, which takes a fifth of the time of
 * encodeURIComponent. A lone surrogate has no UTF-8 bytes and becomes U+FFFD, as in any encoder.
 */
function formUrlEncoded(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const encoded = Buffer.allocUnsafe(bytes.length * 3);
  let length = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    const kept = KEPT_BYTES[byte]!;
    if (kept !== 0) encoded[length++] = kept;
    else {
      encoded[length++] = PERCENT;
      encoded[length++] = HEX_DIGITS[byte >> 4]!;
      encoded[length++] = HEX_DIGITS[byte & 15]!;
    }
  }
  return encoded.subarray(0, length);
}

const PERCENT = 0x25;
const HEX_DIGITS = Buffer.from("0123456789ABCDEF");
/** The output byte for each byte that is not encoded as `%XX`, else 0. */
const KEPT_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === " ") return 0x2b;
  return /[A-Za-z0-9_.~-]/.test(character) ? byte : 0;
});

/** The newline follows the 20 digest bytes before base64, so the value always has 28 characters. */
const digestAndNewline = (key: string, signed: string | Buffer): string =>
  Buffer.concat([createHmac("sha1", key).update(signed).digest(), NEWLINE]).toString("base64");
const NEWLINE = Buffer.from("\n");

/** The `webhook-signature` of Standard Webhooks, version 1, with the endpoint's `whsec_` secret. */
export const standardSignature = (
  signing_secret: string,
  webhook_id: string,
  timestamp_seconds: number | string,
  body: string,
): string => {
  const secret = Buffer.from(signing_secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", secret).update(`${webhook_id}.${timestamp_seconds}.${body}`).digest("base64")}`;
};

export const verifyServiceSignature = (
  key: string,
  method: string,
  url: string,
  body: string,
  received: string,
): boolean => sameText(serviceSignature(key, method, url, body), received);

export const verifyServiceSecret = (key: string, webhook_secret: string, received: string): boolean =>
  sameText(serviceSecret(key, webhook_secret), received);

/** True if one of the header's signatures is valid and the timestamp is recent enough to rule out a replay. */
export const verifyStandardSignature = (
  signing_secret: string,
  headers: { readonly id: string; readonly timestamp: string; readonly signature: string },
  body: string,
  now_seconds: number,
  tolerance_seconds: number = TIMESTAMP_TOLERANCE_S,
): boolean => {
  if (!/^\d{1,15}$/.test(headers.timestamp)) return false;
  if (Math.abs(now_seconds - Number(headers.timestamp)) > tolerance_seconds) return false;
  const expected = standardSignature(signing_secret, headers.id, headers.timestamp, body);
  return headers.signature.split(" ").some((signature) => sameText(expected, signature));
};

/** Constant time: depends only on the lengths. */
const sameText = (expected: string, received: string): boolean => {
  const [a, b] = [Buffer.from(expected), Buffer.from(received)];
  return a.length === b.length && timingSafeEqual(a, b);
};
