/**
 * Text for reports, which allow ASCII alone. Replaces another character with available ones (Ł as L, ≤ as <=), or with a
 * question mark, so that a reader sees the gap. Collapses whitespace and line ends to one space.
 */
export const asciiText = (text: string): string => printable(text, isAscii);

/**
 * Text for outputs with any character: composed letters, one space between words, and no invisible characters except those
 * that change how letters join or in which direction they run.
 */
export function plainText(text: string): string {
  if (isPlainAscii.test(text)) return text;
  const kept = text.normalize("NFC").replaceAll(/[\p{Cc}\p{Z}]/gu, " ");
  return kept.replaceAll(invisible, "").replaceAll(/ +/g, " ").trim();
}

const isPlainAscii = /^(?:[!-~]+(?: [!-~]+)*)?$/;
/** Joiners and marks of direction stay. Selectors of a character's variant go: the fonts have one of each. */
const invisible = /(?!\u200c|\u200d|\u200e|\u200f)\p{Cf}|[\u180b-\u180d\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

export const isWinAnsiText = (text: string): boolean => WIN_ANSI.test(text);

/**
 * A sign that no font has, in other signs (⅓ as 1/3). Null for letters, because a name is printed as written or not at all,
 * unless they are another form of the same letters (the ligature ﬁ, or a full-width A).
 */
export function writtenOtherwise(char: string): string | null {
  const is_letter = /[\p{L}\p{M}]/u.test(char);
  const written = is_letter ? char.normalize("NFKC") : substitute(char, isWinAnsi);
  const is_known = is_letter ? written !== char && isWinAnsiText(written) : !written.includes(REPLACEMENT);
  return is_known ? written : null;
}

const isAscii = (char: string) => char >= " " && char <= "~";

const ABOVE_LATIN_1 = new Set("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ");
const SOFT_HYPHEN = "\u00ad";
const isWinAnsi = (char: string) =>
  isAscii(char) || (char >= "\u00a1" && char <= "\u00ff" && char !== SOFT_HYPHEN) || ABOVE_LATIN_1.has(char);
const WIN_ANSI = new RegExp(`^[ -~\u00a1-\u00ac\u00ae-\u00ff${[...ABOVE_LATIN_1].join("")}]*$`, "u");

/** Characters that do not decompose into a plain letter and marks. */
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
    // Drops invisible characters such as the soft hyphen.
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

/** Letters lose their marks. Keeps fractions and powers separate: 1⅓ is not 11/3, and 10⁶ is not 106. */
function apart(char: string): string {
  const plain = char.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  if (plain.includes("\u2044")) return ` ${plain}`;
  return /[\u00b2\u00b3\u00b9\u2070-\u207f]/.test(char) ? `^${plain}` : plain;
}

/** The second step, for replacements that are not ASCII themselves. */
const asciiOf: Readonly<Record<string, string>> = { µ: "u", "\u2044": "/" };
