import { spreadsheetText, writeCsv } from "./csv.ts";
import type { StatementLine } from "./statements.ts";

const columns = [
  "line_id",
  "booked_at",
  "kind",
  "payer",
  "amount_cents",
  "order_number",
  "reference",
  "item_id",
  "sku",
  "quantity",
  "reason_id",
  "description",
] as const satisfies readonly (keyof StatementLine)[];

/** A statement's lines as CSV, with a head. The amounts stay numbers, also the negative ones. */
export const statementCsv = (lines: readonly StatementLine[]): string => statementCsvHead + statementCsvLines(lines);

export const statementCsvHead = writeCsv([columns]);
export const statementCsvLines = (lines: readonly StatementLine[]): string =>
  writeCsv(lines.map((line) => columns.map((column) => cellOf(line[column]))));

const cellOf = (value: string | number | null): string =>
  typeof value === "string" ? spreadsheetText(value) : String(value ?? "");
