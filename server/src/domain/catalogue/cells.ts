import type { Value } from "./rows.ts";

/** How a cell holds a value. Semicolons separate list items. */
export type CellKind = "text" | "number" | "boolean" | "texts" | "numbers";

const SEPARATOR = ";";

/**
 * Returns the cell's value as JSON would hold it. If the cell cannot be parsed, returns its text, which every column
 * rejects.
 */
export function readCell(kind: CellKind, cell: string): unknown {
  const text = cell.trim();
  if (text === "") return null;
  switch (kind) {
    case "text":
      return text;
    case "number":
      return readNumber(text);
    case "boolean":
      return readBoolean(text);
    case "texts":
      return text.split(SEPARATOR).map((item) => item.trim());
    case "numbers":
      return text.split(SEPARATOR).map((item) => readNumber(item.trim()));
  }
}

export function writeCell(value: Value): string {
  return Array.isArray(value) ? value.join(SEPARATOR) : String(value ?? "");
}

/** Only digits and a decimal point, because a comma can separate thousands or decimals. */
const readNumber = (text: string) => (/^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text);

/** Spreadsheets write TRUE and FALSE in capitals. */
function readBoolean(text: string): unknown {
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : text;
}
