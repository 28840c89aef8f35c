/** A line with something on it. Half of a surrogate pair is no character, and could not be given back as it came. */
export const isOneLine = (value: unknown, longest: number): value is string =>
  typeof value === "string" &&
  value.length <= longest &&
  value.trim() !== "" &&
  !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value);

/**
 * Names of drugs and allergies as words to compare: lower case, without accents, apostrophes and punctuation.
 * "St. John's-wort" is "st johns wort". Letters of every script stay, so that an unknown name is not lost. Unlike in the
 * `plainWords` of an address, a dot separates words: 0.5 is not 05.
 */
export function medicalWords(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .normalize("NFKD")
    .replace(/[\p{M}'’`´]/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Most names are in that form already, and the full way costs many times as much. */
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
