import { readPostalLine } from "./postal-line.ts";
import { lacksUnitNumber, readUnits, trailingUnits } from "./secondary-units.ts";
import { directionalOf, joinedDirectional, numberWords, unitDesignatorOf } from "./street-words.ts";
import { suffixOf } from "./suffixes.ts";

export interface StreetLine {
  /** Number, direction, name, suffix, direction. */
  street: string;
  units: string[];
  /** Unit words without a number. */
  bare: string[];
}

/** A line that begins with a house number (or with a unit and then one), in standard form; null for any other line. */
export function readStreetLine(tokens: readonly string[]): StreetLine | null {
  const { units, end } = readUnits(tokens, 0);
  const found = readStreet(units, tokens.slice(end));
  if (found !== null) return found;
  // Rear 12 Elm St: the number after such a unit can be the house number.
  const designator = unitDesignatorOf(tokens[0] ?? "");
  return designator?.number === "optional" ? readStreet([designator.abbreviation], tokens.slice(1)) : null;
}

function readStreet(leading: readonly string[], tokens: readonly string[]): StreetLine | null {
  const numbers = houseNumberLength(tokens);
  if (numbers === 0 || tokens.length === numbers) return null;
  const split = splitUnits(tokens, numbers + 1);
  if (split === null) return null;
  const street = [...split.street.slice(0, numbers), ...standardName(split.street.slice(numbers))];
  const units = [...leading, ...split.units];
  // Moves leading units behind the street only if they still read as units there: not behind Cedar Lot.
  const line = [...street, ...units.flatMap((unit) => unit.split(" "))];
  const lost = trailingUnits(line, numbers + 1).start !== street.length || readPostalLine(line, false) !== null;
  return leading.length > 0 && lost ? null : { street: street.join(" "), units, bare: split.bare };
}

/**
 * Splits a street from the units behind it. The first `least` words always belong to the street: Pier 39 and Lot 5 are
 * names if nothing else is there. Null if units without a number are mixed with others, because the meaning is unclear.
 */
function splitUnits(tokens: readonly string[], least: number) {
  const behind = trailingUnits(tokens, least);
  const bare = behind.units.length === 0 && lacksUnitNumber(tokens, least) ? tokens.slice(-1) : [];
  const { start, units } = bare.length === 0 ? behind : trailingUnits(tokens.slice(0, -1), least);
  const street = tokens.slice(0, start);
  return lacksUnitNumber(street, least) ? null : { street, units, bare };
}

function houseNumberLength(tokens: readonly string[]): number {
  const [first, second] = tokens;
  if (first === undefined) return 0;
  // Plain (123, 123A, 112-10, 39.2) or a grid number (N6W23001).
  const number = /^\d[\dA-Z.-]*$/.test(first) || /^[NSEW]\d+(?:[NSEW]\d+)?[A-Z]?$/.test(first);
  if (!number && !numberWords.has(first)) return 0;
  return second !== undefined && /^\d\/\d{1,2}$/.test(second) ? 2 : 1;
}

/**
 * Publication 28, sections 233 and 234: abbreviates directions and the last suffix, unless that leaves the street
 * without a name. North Street is NORTH ST, N Street is N ST, Avenue E stays, Court Street is COURT ST.
 */
function standardName(body: readonly string[]): string[] {
  let name = [...body];
  let after: string[] = [];
  let before: string[] = [];

  const pair = name.length >= 4 ? joinedDirectional(name.at(-2) as string, name.at(-1) as string) : undefined;
  if (pair !== undefined && isPlainSuffix(name.at(-3) as string)) {
    [after, name] = [[pair], name.slice(0, -2)];
  } else {
    const last = directionalOf(name.at(-1) ?? "");
    if (last !== undefined && name.length >= 3 && isPlainSuffix(name.at(-2) as string)) {
      [after, name] = [[last], name.slice(0, -1)];
    }
  }

  const joined = name.length >= 3 ? joinedDirectional(name[0] as string, name[1] as string) : undefined;
  if (joined !== undefined && isName(name.slice(2))) [before, name] = [[joined], name.slice(2)];
  else {
    const first = directionalOf(name[0] ?? "");
    if (first !== undefined && isName(name.slice(1))) [before, name] = [[first], name.slice(1)];
  }

  const suffix = name.length >= 2 ? suffixOf(name.at(-1) as string) : undefined;
  if (suffix !== undefined) name[name.length - 1] = suffix;
  return [...before, ...name, ...after];
}

/** Keeps the direction after KEY and similar words, because KEY N would be a unit. */
const isPlainSuffix = (word: string): boolean => suffixOf(word) !== undefined && unitDesignatorOf(word) === undefined;

/** A valid street name: not empty, and not only a suffix. */
const isName = (words: readonly string[]): boolean =>
  words.length > 1 || (words.length === 1 && suffixOf(words[0] as string) === undefined);
