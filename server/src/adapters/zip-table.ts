import { readFileSync } from "node:fs";
import type { ZipTable } from "../domain/values/address/zip.ts";
import { parseZipRows } from "../domain/values/address/zip-rows.ts";
import { zipTable } from "../domain/values/address/zip-table.ts";

/** Found from `src/` and from `dist/` alike. Where the data comes from is told in the folder's ATTRIBUTION.md. */
const FOLDER = new URL("../../data/zip/", import.meta.url);

/**
 * The built-in table of ZIP codes with the operator's own rows (`ZIP_TABLE_FILE`, `zip,state,city`) laid over it, so
 * that a new ZIP code needs no release. Throws `ZipRowFaults`, a line for each faulty one. The cities are read when
 * somebody first asks for one.
 */
export function loadZipTable(corrections_file?: string): ZipTable {
  const corrections = corrections_file ? parseZipRows(readFileSync(corrections_file, "utf8")) : [];
  const read = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
  return zipTable(read("areas.txt"), () => read("cities.txt"), corrections);
}
