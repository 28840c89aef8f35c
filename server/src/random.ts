import { randomBytes, randomInt } from "node:crypto";

const LOWER_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Lower-case letters and digits, each equally likely. */
export function randomId(length: number): string {
  return Array.from({ length }, () => LOWER_AND_DIGITS[randomInt(LOWER_AND_DIGITS.length)]).join("");
}

/** A patient's surrogate key: random, so that it does not tell how many patients there are. Exact as a number. */
export const randomPatientKey = () => randomInt(1, 2 ** 48 - 1);

/** 256 bits as 43 characters of [A-Za-z0-9_-]: client secrets and access tokens. */
export const randomSecret = () => randomBytes(32).toString("base64url");

/** A signing secret in the Standard Webhooks format. */
export const randomSigningSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

/**
 * A UUID that begins with the time (RFC 9562, version 7), so that new events are adjacent in their index instead of
 * spread across it.
 */
export function randomEventId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Crockford's alphabet: no easily confused characters. */
const ORDER_NUMBER_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export const randomOrderNumber = () => Array.from(randomBytes(10), (byte) => ORDER_NUMBER_LETTERS[byte & 31]).join("");
