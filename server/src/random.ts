import { randomBytes, randomInt } from "node:crypto";

const LOWER_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Lower-case letters and digits, each equally likely. */
export function randomId(length: number): string {
  return Array.from({ length }, () => LOWER_AND_DIGITS[randomInt(LOWER_AND_DIGITS.length)]).join("");
}

/** 256 bits as 43 characters of [A-Za-z0-9_-]: client secrets and access tokens. */
export const randomSecret = () => randomBytes(32).toString("base64url");

/** Crockford's alphabet: nothing that is read as something else. */
const ORDER_NUMBER_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export const randomOrderNumber = () => Array.from(randomBytes(10), (byte) => ORDER_NUMBER_LETTERS[byte & 31]).join("");
