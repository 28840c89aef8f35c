/** A non-empty line. Rejects a lone surrogate, which cannot be stored and returned unchanged. */
export const isOneLine = (value: unknown, longest: number): value is string =>
  typeof value === "string" &&
  value.length <= longest &&
  value.trim() !== "" &&
  !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value);

/**
 * Normalizes names of drugs and allergies for comparison: lower case, without accents, apostrophes and punctuation.
 * "St. John's-wort" is "st johns wort". Keeps letters of every script, so that an unknown name is not lost. Unlike
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

/** Fast path: most names are already normalized, and the full way costs many times as much. */
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
