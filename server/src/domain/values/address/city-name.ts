import { CITY_MOST_CHARACTERS } from "@pestle/contract";
import { plainUpperCase } from "./street-tokens.ts";

/** The longest accepted city. The longest name of the Postal Service has 28 letters. */
export const MAX_CITY_CHARACTERS = CITY_MOST_CHARACTERS;

/** Words in city names with two spellings. The second is used for comparison. */
const sameWord = new Map(
  Object.entries({
    ST: "SAINT",
    STE: "SAINTE",
    FT: "FORT",
    MT: "MOUNT",
    MTN: "MOUNTAIN",
    N: "NORTH",
    S: "SOUTH",
    E: "EAST",
    W: "WEST",
    HTS: "HEIGHTS",
    SPGS: "SPRINGS",
    SPG: "SPRING",
    BCH: "BEACH",
    CTR: "CENTER",
    CENTRE: "CENTER",
    JCT: "JUNCTION",
    VLG: "VILLAGE",
    TWP: "TOWNSHIP",
    IS: "ISLAND",
    PT: "POINT",
  }),
);

/** Returns the city in capitals, as the Postal Service writes it; empty if it has no words, or too many. */
export function standardCity(city: string): string {
  const words = cityWords(city);
  // Some people write the state of a military post into its city.
  return /^(?:APO|FPO|DPO) A[AEP]$/.test(words.join(" ")) ? (words[0] as string) : words.join(" ");
}

/**
 * A key that spellings of the same city share: MC LEAN and MCLEAN, ST PAUL and SAINT PAUL, FOXBORO(UGH). Takes the
 * standard form.
 */
export function cityKey(standard: string): string {
  return standard
    .split(" ")
    .map((word) => sameWord.get(word) ?? word)
    .join("")
    .replace(/BOROUGH$/, "BORO");
}

/**
 * Whether one city name is a typo of the other. A short name allows only one edit, because too many others are close.
 */
export function isMisspelling(written: string, known: string): boolean {
  return withinEdits(written, known, known.length > 5 ? 2 : 1);
}

const cityWords = (city: string): string[] =>
  plainUpperCase(city.length > MAX_CITY_CHARACTERS ? "" : city)
    .replaceAll(/['\u2019\u02bc`]/g, "")
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== "");

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
