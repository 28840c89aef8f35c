import { STREET_MOST_CHARACTERS } from "@pestle/contract";

/** The longest accepted address line. A longer one is rejected unread. */
export const MAX_LINE_CHARACTERS = STREET_MOST_CHARACTERS;

const FRACTIONS = /[\u00bc-\u00be\u2150-\u215e]/g;
const NEITHER_WORD_NOR_MARK = /[^\p{L}\p{N}\s.#&/-]/gu;
/** Written without the space: APT4B, PO BOX12. */
const GLUED = /^(APT|STE|SUITE|UNIT|RM|BLDG|LOT|SPC|PMB|BOX|POBOX|POB|RR|HC|HCR|PSC|CMR)(\d+[A-Z]?)$/;

/**
 * The words of an address line in upper case, without accents and punctuation; null if the line is too long.
 * Idempotent: the words joined by spaces give the same words.
 */
export function streetTokens(line: string): string[] | null {
  if (line.length > MAX_LINE_CHARACTERS) return null;
  const text = plainUpperCase(line.replaceAll(FRACTIONS, " $&")).replaceAll("\u2044", "/");
  // Some single characters decompose into a whole phrase.
  if (text.length > 2 * MAX_LINE_CHARACTERS) return null;
  return text
    .replaceAll(/['\u2019\u02bc`]/g, "")
    .replaceAll(NEITHER_WORD_NOR_MARK, " ")
    .replaceAll("#", " # ")
    .split(/\s+/)
    .flatMap(withoutPoints)
    .map((token) => token.replaceAll(/^[-/]+|[-/]+$/g, ""))
    .filter((token) => token !== "")
    .flatMap((token) => GLUED.exec(token)?.slice(1) ?? [token]);
}

/** Upper case without accents. Decomposes twice, because some letters gain a mark only in upper case. */
export function plainUpperCase(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toUpperCase();
  return text.normalize("NFKD").toUpperCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

/** N.W. is one word, P.O.Box two. A period between digits stays (39.2 Road). */
function withoutPoints(chunk: string): string[] {
  if (!chunk.includes(".") || /^\d+\.\d+$/.test(chunk)) return [chunk];
  const parts = chunk.split(".").filter((part) => part !== "");
  const words: string[] = [];
  let initials = false;
  for (const part of parts) {
    const initial = /^\p{L}$/u.test(part);
    if (initial && initials) words[words.length - 1] += part;
    else words.push(part);
    initials = initial;
  }
  return words;
}
