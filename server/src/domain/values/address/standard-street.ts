import { bareBoxNumber, type PostalLine, readPostalLine } from "./postal-line.ts";
import { isUnitNumber, lacksUnitNumber, readUnits } from "./secondary-units.ts";
import { readStreetLine, type StreetLine } from "./street-line.ts";
import { streetTokens } from "./street-tokens.ts";
import { placeholders } from "./street-words.ts";
import type { AddressKind, Reason } from "./verdict.ts";

export interface StandardStreet {
  street1: string;
  street2: string | null;
  kind: AddressKind;
  reasons: Reason[];
}

type Line =
  | { type: "empty" }
  | { type: "postal"; postal: PostalLine }
  | { type: "street"; street: StreetLine }
  | { type: "box"; number: string; text: string }
  | { type: "units"; units: string[]; bare: string[] }
  /** Other text: a building, a care-of line, a Puerto Rican urbanization that contains its number. */
  | { type: "text"; text: string; numbered: boolean };

/**
 * The two street lines in the Postal Service's standard form, with their kind and problems. The street is in the first
 * line and its units in the second, unless that has other text. `military`: city and state are a military post's, where
 * ships and units need no number.
 */
export function standardStreet(street1: string, street2: string | null, military: boolean): StandardStreet {
  const [first, second] = [streetTokens(street1), streetTokens(street2 ?? "")];
  if (first === null || second === null) {
    return { street1, street2, kind: "unknown", reasons: ["street_unreadable"] };
  }
  const lines = inOrder(readLine(first, military, false), readLine(second, military, true));
  const written = write(...lines);
  const kind = kindOf(lines, military);
  return { street1: written[0] ?? "", street2: written[1] ?? null, kind, reasons: reasonsOf(lines, kind) };
}

function readLine(tokens: string[], military: boolean, second: boolean): Line {
  if (tokens.length === 0 || (tokens.length === 1 && placeholders.has(tokens[0] as string))) return { type: "empty" };
  const postal = readPostalLine(tokens, military);
  if (postal !== null) return { type: "postal", postal };
  const number = bareBoxNumber(tokens);
  if (number !== null) return { type: "box", number, text: tokens.join(" ") };
  const { units, end } = readUnits(tokens, 0);
  const bare = tokens.slice(end);
  if (bare.every((token) => lacksUnitNumber([token], 0))) return { type: "units", units, bare };
  // A second line with only a number, such as 4B, is a unit without its word.
  if (second && tokens.length === 1 && isUnitNumber(tokens[0])) {
    return { type: "units", units: [`# ${tokens[0]}`], bare: [] };
  }
  const street = readStreetLine(tokens);
  if (street !== null) return { type: "street", street };
  const numbered = tokens.length > 1 && tokens.some((token) => /\d/.test(token));
  return { type: "text", text: tokens.join(" "), numbered };
}

/** Swaps lines in the wrong order, moves a lone second line up, and joins a route with its box. */
function inOrder(first: Line, second: Line): [Line, Line] {
  if (first.type === "empty") return [second, first];
  if (first.type === "units" && second.type !== "empty" && second.type !== "units" && second.type !== "text") {
    return inOrder(second, first);
  }
  if (first.type === "street" && second.type === "units") return [withNumber(first, second), { type: "empty" }];
  if (first.type === "postal" && second.type === "box" && first.postal.box !== "given") {
    if (first.postal.kind === "general_delivery" || first.postal.kind === "po_box") return [first, second];
    const text = `${first.postal.text} BOX ${second.number}`;
    return [{ type: "postal", postal: { ...first.postal, text, box: "given" } }, { type: "empty" }];
  }
  return [first, second];
}

/** A street with the units of the second line. "12 Elm St Apt" and "4B" are one unit on two lines. */
function withNumber(first: Extract<Line, { type: "street" }>, second: Extract<Line, { type: "units" }>): Line {
  const { street, units, bare } = first.street;
  const [number, ...others] = second.units;
  const tokens = `${bare.at(-1)} ${number}`.split(" ");
  const joined = readUnits(tokens, 0);
  if (number?.startsWith("# ") && joined.units.length > 0 && joined.end === tokens.length) {
    return {
      type: "street",
      street: { street, units: [...units, ...joined.units, ...others], bare: bare.slice(0, -1) },
    };
  }
  return { type: "street", street: { street, units: [...units, ...second.units], bare: [...bare, ...second.bare] } };
}

function write(first: Line, second: Line): (string | null)[] {
  // A box without a street is a post office box.
  if (first.type === "box" && !isStreet(second)) return [`PO BOX ${first.number}`, textOf(second)];
  if (first.type === "street" && second.type === "empty") {
    return [first.street.street, [...first.street.units, ...first.street.bare].join(" ") || null];
  }
  return [textOf(first), textOf(second)];
}

const isStreet = (line: Line): boolean => line.type === "street" || (line.type === "text" && line.numbered);

function textOf(line: Line): string | null {
  if (line.type === "empty") return null;
  if (line.type === "postal") return line.postal.text;
  if (line.type === "units") return [...line.units, ...line.bare].join(" ");
  if (line.type === "street") return [line.street.street, ...line.street.units, ...line.street.bare].join(" ");
  return line.text;
}

function kindOf(lines: readonly Line[], military: boolean): AddressKind {
  const postal = lines.flatMap((line) => (line.type === "postal" ? [line.postal.kind] : []));
  if (military || postal.includes("military")) return "military";
  // A parcel with both a street and a post office box goes to the box, or back.
  if (postal.includes("po_box")) return "po_box";
  if (postal[0] !== undefined) return postal[0];
  if (!lines.some(isStreet)) return lines.some(({ type }) => type === "box") ? "po_box" : "unknown";
  const units = lines.flatMap((line) =>
    line.type === "street" ? line.street.units : line.type === "units" ? line.units : [],
  );
  return units.some((unit) => unit.startsWith("PMB ")) ? "private_mailbox" : "street";
}

function reasonsOf(lines: readonly Line[], kind: AddressKind): Reason[] {
  const found: Reason[] = [];
  if (lines.every(({ type }) => type === "empty" || type === "units")) found.push("street_missing");
  else if (kind === "unknown") found.push("street_number_missing");
  if (lines.some((line) => line.type === "postal" && line.postal.box === "missing")) found.push("box_number_missing");
  const unit_missing = lines.some((line) =>
    line.type === "street" ? line.street.bare.length > 0 : line.type === "units" && line.bare.length > 0,
  );
  if (unit_missing) found.push("unit_number_missing");
  return found;
}
