import { CITY_MOST_CHARACTERS } from "@pestle/contract";
import { withinEdits } from "../text.ts";
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
