/**
 * Text for places that know few characters: the standard fonts of PDF (WinAnsi), printers and reports (ASCII). What such
 * a place lacks is written with what it has (Ł as L, ≤ as <=); what cannot be is a question mark, so that a reader sees
 * that something stood there. Blanks of all kinds, and line ends, are one blank.
 */
export const winAnsiText = (text: string): string => printable(text, isWinAnsi);

export const asciiText = (text: string): string => printable(text, isAscii);

const isAscii = (char: string) => char >= " " && char <= "~";

const ABOVE_LATIN_1 = new Set("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ");
const SOFT_HYPHEN = "\u00ad";
const isWinAnsi = (char: string) =>
  isAscii(char) || (char >= "\u00a1" && char <= "\u00ff" && char !== SOFT_HYPHEN) || ABOVE_LATIN_1.has(char);

/** What does not come apart into a plain letter and its marks. */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  Æ: "AE",
  æ: "ae",
  Œ: "OE",
  œ: "oe",
  Ø: "O",
  ø: "o",
  Ð: "D",
  ð: "d",
  Þ: "Th",
  þ: "th",
  ß: "ss",
  ẞ: "SS",
  Ł: "L",
  ł: "l",
  Đ: "D",
  đ: "d",
  Ħ: "H",
  ħ: "h",
  ı: "i",
  ĸ: "k",
  Ŋ: "N",
  ŋ: "n",
  Ŧ: "T",
  ŧ: "t",
  Ə: "E",
  ə: "e",
  Ơ: "O",
  ơ: "o",
  Ư: "U",
  ư: "u",
  "‘": "'",
  "’": "'",
  "‚": ",",
  "‛": "'",
  ʻ: "'",
  ʼ: "'",
  "′": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "″": '"',
  "‐": "-",
  "‑": "-",
  "‒": "-",
  "–": "-",
  "—": "-",
  "―": "-",
  "−": "-",
  "•": "-",
  "≤": "<=",
  "≥": ">=",
  "×": "x",
  "÷": "/",
  μ: "µ",
  "°": " deg",
  "№": "No.",
};

const REPLACEMENT = "?";

function printable(text: string, isAllowed: (char: string) => boolean): string {
  let written = "";
  for (const char of text.normalize("NFC")) {
    if (isAllowed(char)) written += char;
    // The soft hyphen and its like are not there to be seen.
    else if (/\p{Cf}|\p{M}/u.test(char)) continue;
    else if (/[\p{Cc}\p{Z}]/u.test(char)) written += " ";
    else written += substitute(char, isAllowed);
  }
  return written.replaceAll(/ +/g, " ").trim();
}

function substitute(char: string, isAllowed: (char: string) => boolean): string {
  const known = WRITTEN_AS[char] ?? apart(char);
  const chars = Array.from(known, (part) => (isAllowed(part) ? part : (asciiOf[part] ?? REPLACEMENT)));
  return chars.join("") || REPLACEMENT;
}

/** Letters lose their marks. Fractions and powers keep their distance: 1⅓ is not 11/3, and 10⁶ is not 106. */
function apart(char: string): string {
  const plain = char.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  if (plain.includes("\u2044")) return ` ${plain}`;
  return /[\u00b2\u00b3\u00b9\u2070-\u207f]/.test(char) ? `^${plain}` : plain;
}

/** The second step, for what is written with something that is itself too much. */
const asciiOf: Readonly<Record<string, string>> = { µ: "u", "\u2044": "/" };
