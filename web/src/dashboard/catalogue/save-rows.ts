import type { CatalogueImportKind } from "@pestle/contract";
import { csvText } from "../../ui/csv-text.ts";
import { saveFile } from "../../ui/save-file.ts";

/** Exports rows in the import format, so staff can edit the file and import it again. */
export function saveRows(kind: CatalogueImportKind, rows: readonly object[]): void {
  const [first] = rows;
  const names = first === undefined ? [] : Object.keys(first).filter((name) => name !== "account_id");
  const lines = rows.map((row) => names.map((name) => (row as Record<string, unknown>)[name]));
  saveFile(`${kind}.csv`, new Blob([csvText([names, ...lines])], { type: "text/csv" }));
}
