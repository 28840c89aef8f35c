/**
 * A text as the words that are compared: lower case, without accents, apostrophes and punctuation. "St. John's-wort" is
 * "st johns wort". Letters of every script stay, so that what cannot be understood is seen and not lost.
 */
export function plainWords(text: string): string {
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
