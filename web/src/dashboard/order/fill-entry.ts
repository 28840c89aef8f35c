import { type FilledLine, type FilledLot, isProduct, scanFaults, scannedCode } from "@pestle/contract";
import { say, sayName } from "../../ui/words/say.tsx";

type Line = { item_id: number; ndc: string | null; sku: string };
export type Filled = { lot: string; lot_expires_on: string };
export const nothingFilled: Filled = { lot: "", lot_expires_on: "" };

/** `scanned`: the text was a product code. `wrong`: why the scanned package does not belong to this line. */
export type FillEntry = { filled: Filled; scanned: boolean; wrong: string | null };

/**
 * Parses a line's lot field once the entry is complete: on paste, Enter or blur. A scanner types one character at a
 * time and the prefix of a GS1 code can parse as a code too, so partial input is never parsed. A package of another
 * line fills in nothing.
 */
export function fillEntry(text: string, line: Line, lines: readonly Line[], before: Filled): FillEntry {
  const { code, lot, expires_on, is_gs1, fault } = scannedCode(text);
  const fits = isProduct(code, line);
  const others = lines.some((one) => one.item_id !== line.item_id && isProduct(code, one));
  if (!is_gs1 && fault === null && !fits && !others)
    return { filled: { ...before, lot: code }, scanned: false, wrong: null };
  const refused = (wrong: string) => ({ filled: nothingFilled, scanned: true, wrong });
  if (fault !== null) return refused(sayName(scanFaults[fault]));
  if (!fits) return refused(others ? OTHER_LINE : NOT_OF_ORDER);
  const filled = { lot: lot ?? "", lot_expires_on: expires_on ?? before.lot_expires_on };
  return { filled, scanned: true, wrong: filled.lot === "" ? NO_LOT : null };
}

const NOT_OF_ORDER = say("The scanned product is not part of this order.");
const OTHER_LINE = say("The scanned package belongs to another line.");
const NO_LOT = say("The scanned code has no lot number. Type the lot from the package.");

/** Whether a package has both its lot and its expiry. */
export const isFilled = ({ lot, lot_expires_on }: Filled): boolean => lot.trim() !== "" && lot_expires_on !== "";

/** One lot of a line. The units matter only if the line has several. */
export type Part = Filled & { units: string };
export const nothingTaken: Part = { ...nothingFilled, units: "" };

type Whole = { item_id: number; units: number; suggested_lots: readonly FilledLot[] };

/** Whether every lot is complete, and the units of several add up to the line's. */
export const isComplete = (parts: readonly Part[], { units }: Pick<Whole, "units">): boolean =>
  parts.every(isFilled) &&
  (parts.length === 1 || (parts.every((part) => Number(part.units) > 0) && missing(parts, units) === 0));

/** The units that no lot has yet. */
const missing = (parts: readonly Part[], units: number): number =>
  Math.round((units - parts.reduce((sum, part) => sum + (Number(part.units) || 0), 0)) * 1000) / 1000;

/** One more lot. A lot without units gets those of the suggestion, and the new one the rest. */
export function withAnother(parts: readonly Part[], { units, suggested_lots }: Whole): Part[] {
  const known = parts.map((part) => {
    const suggested = suggested_lots.find(({ lot }) => lot === part.lot.trim().toUpperCase());
    return part.units === "" && suggested ? { ...part, units: String(suggested.units) } : part;
  });
  const rest = missing(known, units);
  const all_known = known.every((part) => part.units !== "");
  return [...known, { ...nothingTaken, units: all_known && rest > 0 ? String(rest) : "" }];
}

/** The line as the server takes it. */
export function filledLine({ item_id }: Pick<Whole, "item_id">, parts: readonly Part[]): FilledLine {
  const [first, ...others] = parts;
  if (others.length === 0) return { item_id, lot: first!.lot, lot_expires_on: first!.lot_expires_on };
  return { item_id, lots: parts.map((part) => ({ ...part, units: Number(part.units) })) };
}
