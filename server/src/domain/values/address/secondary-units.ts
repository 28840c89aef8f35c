import { directionalOf, numberWords, type UnitDesignator, unitDesignatorOf } from "./street-words.ts";
import { suffixOf } from "./suffixes.ts";

const MAX_UNIT_NUMBER_CHARACTERS = 8;
const NUMBER_SIGN: ReadonlySet<string> = new Set(["#", "NO", "NUM", "NUMBER"]);

/** Reads the units from `start` up to the first token that is not part of one, at `end`. */
export function readUnits(tokens: readonly string[], start: number): { units: string[]; end: number } {
  const units: string[] = [];
  let at = start;
  for (;;) {
    const found = readUnit(tokens, at);
    if (found === null) return { units, end: at };
    units.push(found.unit);
    at = found.end;
  }
}

/** Where the units at the end of a line begin: the first position after which there are only units. */
export function trailingUnits(tokens: readonly string[], from: number): { start: number; units: string[] } {
  for (let start = from; start < tokens.length; start++) {
    const { units, end } = readUnits(tokens, start);
    // REAR or SIDE can end a street name (12 Lake Side). After a suffix or a number it is a unit.
    const loose = unitDesignatorOf(tokens[start] as string)?.number === "optional" && !endsStreet(tokens, start, from);
    if (end === tokens.length && units.length > 0 && !loose) return { start, units };
  }
  return { start: tokens.length, units: [] };
}

/** Whether the line ends with a unit without a number: 12 Elm St Apt. Units can begin at `from`. */
export function lacksUnitNumber(tokens: readonly string[], from: number): boolean {
  const end = tokens.length - 1;
  const designator = unitDesignatorOf(tokens[end] ?? "");
  // FL at the end of a street line means Florida more often than floor.
  if (designator?.number !== "required" || tokens[end] === "FL" || end < from) return false;
  if (designator.firm || from === 0 || endsStreet(tokens, end, from)) return true;
  return trailingUnits(tokens.slice(0, end), from).units.length > 0;
}

/** A token that can be the number of a box or unit. */
export function isUnitNumber(token: string | undefined): token is string {
  if (token === undefined || token.length > MAX_UNIT_NUMBER_CHARACTERS) return false;
  if (/\d/.test(token)) return !token.includes("/") && !token.includes(".");
  return (/^[A-Z]{1,2}$/.test(token) && !isWordOfItsOwn(token)) || numberWords.has(token);
}

const isWordOfItsOwn = (token: string): boolean =>
  suffixOf(token) !== undefined || unitDesignatorOf(token) !== undefined || /^(?:PO|RR|HC|NO)$/.test(token);

/** Skips a number sign, which adds nothing: APT # 4, BOX NO 7. */
export function pastNumberSign(tokens: readonly string[], at: number): number {
  return NUMBER_SIGN.has(tokens[at] ?? "") && isUnitNumber(tokens[at + 1]) ? at + 1 : at;
}

function readUnit(tokens: readonly string[], start: number): { unit: string; end: number } | null {
  const floor = /^(\d{1,3})(?:ST|ND|RD|TH)$/.exec(tokens[start] ?? "");
  if (floor !== null && unitDesignatorOf(tokens[start + 1] ?? "")?.abbreviation === "FL") {
    return { unit: `FL ${floor[1]}`, end: start + 2 };
  }
  const designator = unitDesignatorOf(tokens[start] ?? "");
  if (designator === undefined) return null;
  // REAR # 4 is two units: the sign belongs to the second.
  const at = designator.number === "required" ? pastNumberSign(tokens, start + 1) : start + 1;
  const number = tokens[at];
  if (fits(designator, number)) {
    const letter = tokens[at + 1];
    // APT 4 B is APT 4B, unless the next token gives the letter another meaning.
    const split =
      designator.abbreviation !== "BOX" && /^\d+ [A-Z]$/.test(`${number} ${letter}`) && at + 2 === tokens.length;
    return { unit: `${designator.abbreviation} ${number}${split ? letter : ""}`, end: split ? at + 2 : at + 1 };
  }
  return designator.number === "optional" ? { unit: designator.abbreviation, end: start + 1 } : null;
}

function fits(designator: UnitDesignator, number: string | undefined): number is string {
  if (!isUnitNumber(number)) return false;
  // FL 33101 is Florida. FRNT and similar take a number, never a bare word such as NW.
  if (designator.abbreviation === "FL") return /^\d{1,3}[A-Z]?$/.test(number);
  return designator.number === "required" || /\d/.test(number);
}

/**
 * Whether the tokens before `end` complete a street: a number, or a suffix (and a direction) after the first word,
 * `from` - 1.
 */
function endsStreet(tokens: readonly string[], end: number, from: number): boolean {
  const last = tokens[end - 1] ?? "";
  if (/\d/.test(last)) return true;
  const suffix = directionalOf(last) === undefined ? end - 1 : end - 2;
  return suffix >= from && suffixOf(tokens[suffix] as string) !== undefined;
}
