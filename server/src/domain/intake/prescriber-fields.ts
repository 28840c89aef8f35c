import { northAmericanPhone } from "../values/address/phone.ts";

const LONGEST_NAME = 120;

/** A person or a practice: letters of any script, digits, and what stands between them in names and titles. */
export const isPrescriberName = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length <= LONGEST_NAME &&
  /\p{L}/u.test(value) &&
  /^[\p{L}\p{M}\p{N} '’.,&/()-]+$/u.test(value);

/** Telephone or fax. */
export const isPrescriberPhone = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 40 && northAmericanPhone(value.trim()) !== null;
