import { readFileSync } from "node:fs";
import type { ZipTable } from "../../domain/values/address/zip.ts";
import { parseZipRows, type ZipRow } from "../../domain/values/address/zip-rows.ts";
import { zipTable } from "../../domain/values/address/zip-table.ts";

/** Works from both `src/` and `dist/`. ATTRIBUTION.md in the folder names the data source. */
const FOLDER = new URL("../../../data/zip/", import.meta.url);

let shipped: ZipTable | undefined;

/**
 * The built-in ZIP code table with the operator's rows (`ZIP_TABLE_FILE`, `zip,state,city`) on top, so that a new ZIP
 * code needs no release. Throws `ZipRowFaults` with one line per invalid row. Loads the cities on first use, and the
 * table without such rows once, because it never changes while the process runs.
 */
export function loadZipTable(corrections_file?: string): ZipTable {
  if (corrections_file) return tableWith(parseZipRows(readFileSync(corrections_file, "utf8")));
  shipped ??= tableWith([]);
  return shipped;
}

function tableWith(corrections: readonly ZipRow[]): ZipTable {
  const read = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
  return zipTable(read("areas.txt"), () => read("cities.txt"), corrections);
}
