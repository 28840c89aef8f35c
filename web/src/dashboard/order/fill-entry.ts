import { isProduct, scannedCode } from "./scanned-code.ts";

type Line = { item_id: number; ndc: string | null; sku: string };
export type Filled = { lot: string; lot_expires_on: string };
export const nothingFilled: Filled = { lot: "", lot_expires_on: "" };

/** `scanned`: it was a code, and what it tells is filled in. `wrong`: why what was scanned does not belong there. */
export type FillEntry = { filled: Filled; scanned: boolean; wrong: string | null };

/**
 * What came into the lot field of a line, once it is whole: pasted, ended with Enter, or typed and left. A scanner types
 * letter by letter, and the beginning of a GS1 code reads as a code too, so nothing is asked about parts. A package that
 * is not this line's fills in nothing, neither here nor elsewhere.
 */
export function fillEntry(text: string, line: Line, lines: readonly Line[], before: Filled): FillEntry {
  const { code, lot, expires_on, is_gs1 } = scannedCode(text);
  const fits = isProduct(code, line);
  const others = lines.some((one) => one.item_id !== line.item_id && isProduct(code, one));
  if (!is_gs1 && !fits && !others) return { filled: { ...before, lot: code }, scanned: false, wrong: null };
  const refused = (wrong: string) => ({ filled: nothingFilled, scanned: true, wrong });
  if (!fits) return refused(others ? OTHER_LINE : NOT_OF_ORDER);
  const filled = { lot: lot ?? "", lot_expires_on: expires_on ?? before.lot_expires_on };
  return { filled, scanned: true, wrong: filled.lot === "" ? NO_LOT : null };
}

const NOT_OF_ORDER = "What was scanned is not a product of this order.";
const OTHER_LINE = "What was scanned is the package of another line.";
const NO_LOT = "The code that was scanned tells no lot: type the one on the package.";

/** Whether a package has both its lot and its expiry. */
export const isFilled = ({ lot, lot_expires_on }: Filled): boolean => lot.trim() !== "" && lot_expires_on !== "";
