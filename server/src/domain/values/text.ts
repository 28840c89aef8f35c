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
  if (ASCII.test(text))
    return text
      .replace(/['`]/g, "")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, " ")
      .trim();
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}'’`´]/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Fast paths: most names are already normalized, or at least English. The full way costs many times as much. */
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
const ASCII = /^[\t\n\r -~]*$/;

/**
 * Whether two words differ by at most `most` edits: a letter added, omitted, changed, or two adjacent ones swapped.
 * Stops early, so words of different length cost nothing.
 */
export function withinEdits(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) least = Math.min(least, (before[column - 2] as number) + 1);
      current.push(least);
    }
    if (Math.min(...current) > most && Math.min(...above) > most) return false;
    [before, above] = [above, current];
  }
  return (above[b.length] as number) <= most;
}
