import { directionalOf, joinedDirectional, numberWords, unitDesignatorOf } from "./street-words.ts";
import { suffixOf } from "./suffixes.ts";
import { lacksUnitNumber, readUnits, trailingUnits } from "./units.ts";

export interface StreetLine {
  /** Number, direction, name, suffix, direction. */
  street: string;
  units: string[];
  unit_number_missing: boolean;
}

/** A line that begins with a house number (or with a unit and then one), in standard form; null for any other line. */
export function readStreetLine(tokens: readonly string[]): StreetLine | null {
  const leading = readUnits(tokens, 0);
  const rest = tokens.slice(leading.end);
  const numbers = houseNumberLength(rest);
  if (numbers === 0 || rest.length === numbers) return readRearOf(tokens);
  // The street keeps at least one word: Pier 39 and Lot 5 are names where nothing else is.
  const trailing = trailingUnits(rest, numbers + 1);
  const body = rest.slice(numbers, trailing.start);
  return {
    street: [...rest.slice(0, numbers), ...standardName(body)].join(" "),
    units: [...leading.units, ...trailing.units],
    unit_number_missing: trailing.units.length === 0 && lacksUnitNumber(rest, numbers + 1),
  };
}

/** Rear 12 Elm St: the number after the unit is the house's. */
function readRearOf(tokens: readonly string[]): StreetLine | null {
  const designator = unitDesignatorOf(tokens[0] ?? "");
  if (designator?.number !== "optional" || houseNumberLength(tokens.slice(1)) === 0) return null;
  const line = readStreetLine(tokens.slice(1));
  return line === null ? null : { ...line, units: [designator.abbreviation, ...line.units] };
}

function houseNumberLength(tokens: readonly string[]): number {
  const [first, second] = tokens;
  if (first === undefined) return 0;
  // Plain (123, 123A, 112-10, 39.2) or of a grid (N6W23001).
  const number = /^\d[\dA-Z.-]*$/.test(first) || /^[NSEW]\d+(?:[NSEW]\d+)?[A-Z]?$/.test(first);
  if (!number && !(numberWords.has(first) && tokens.length > 2)) return 0;
  return second !== undefined && /^\d\/\d{1,2}$/.test(second) ? 2 : 1;
}

/**
 * Publication 28, sections 233 and 234: directions and the last suffix are abbreviated unless that would leave the
 * street without a name. North Street is NORTH ST, N Street is N ST, Avenue E stays, Court Street is COURT ST.
 */
function standardName(body: readonly string[]): string[] {
  let name = [...body];
  let after: string[] = [];
  let before: string[] = [];

  const pair = name.length >= 4 ? joinedDirectional(name.at(-2) as string, name.at(-1) as string) : undefined;
  if (pair !== undefined && suffixOf(name.at(-3) as string) !== undefined) {
    [after, name] = [[pair], name.slice(0, -2)];
  } else {
    const last = directionalOf(name.at(-1) ?? "");
    if (last !== undefined && name.length >= 3 && suffixOf(name.at(-2) as string) !== undefined) {
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

/** Something a street can be called: not nothing, and not a suffix alone. */
const isName = (words: readonly string[]): boolean =>
  words.length > 1 || (words.length === 1 && suffixOf(words[0] as string) === undefined);
