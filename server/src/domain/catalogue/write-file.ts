import { writeCsv } from "@pestle/contract";
import { writeCell } from "./cells.ts";
import { catalogueColumns } from "./columns.ts";
import type { CatalogueKind, Row } from "./rows.ts";

/** Writes a file that changes nothing when it is imported again. */
export function writeFile(kind: CatalogueKind, rows: readonly Row[], format: "csv" | "json"): string {
  const names = catalogueColumns[kind].map(({ name }) => name);
  if (format === "csv")
    return writeCsv([names, ...rows.map((row) => names.map((name) => writeCell(row[name] ?? null)))]);
  const plain = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  return `${JSON.stringify(plain, null, 2)}\n`;
}
