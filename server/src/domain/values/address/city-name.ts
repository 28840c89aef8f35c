import { CITY_MOST_CHARACTERS } from "@pestle/contract";
import { withinEdits } from "./edit-distance.ts";
import { plainUpperCase } from "./street-tokens.ts";

/** The longest city that is read; the longest of the Postal Service has 28 letters. */
export const MAX_CITY_CHARACTERS = CITY_MOST_CHARACTERS;

/** Words of city names that are written in two ways; the second is how names are compared. */
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

/** The city in capitals, as the Postal Service writes it; empty where it has no word, or too many to be a name. */
export function standardCity(city: string): string {
  const words = cityWords(city);
  // Some write the state of a military post into its city.
  return /^(?:APO|FPO|DPO) A[AEP]$/.test(words.join(" ")) ? (words[0] as string) : words.join(" ");
}

/**
 * What two spellings of one city have in common: MC LEAN and MCLEAN, ST PAUL and SAINT PAUL, FOXBORO(UGH). Takes the
 * standard form.
 */
export function cityKey(standard: string): string {
  return standard
    .split(" ")
    .map((word) => sameWord.get(word) ?? word)
    .join("")
    .replace(/BOROUGH$/, "BORO");
}

/** Whether one city name is a slip of the other. A short name has too many neighbours to allow two slips. */
export function isMisspelling(written: string, known: string): boolean {
  return withinEdits(written, known, known.length > 5 ? 2 : 1);
}

const cityWords = (city: string): string[] =>
  plainUpperCase(city.length > MAX_CITY_CHARACTERS ? "" : city)
    .replaceAll(/['\u2019\u02bc`]/g, "")
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== "");
