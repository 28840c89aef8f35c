import type { Value } from "./rows.ts";

/** How a value stands in a cell. The items of a list are separated by semicolons. */
export type CellKind = "text" | "number" | "boolean" | "texts" | "numbers";

const SEPARATOR = ";";

/** The value that a cell means, as JSON would hold it; where it means none, its text, which no column accepts. */
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

/** Digits and a point alone: a comma may stand for thousands or for the point. */
const readNumber = (text: string) => (/^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text);

/** Spreadsheets write capitals. */
function readBoolean(text: string): unknown {
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : text;
}
