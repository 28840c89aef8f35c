import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { type NdcTable, readNdcTable } from "../../domain/intake/ndc-table.ts";

/** The same relative path works from `src/` and from `dist/`. ATTRIBUTION.md in the folder names the sources. */
const FILE = new URL("../../../data/drugs/ndc.br", import.meta.url);

let table: NdcTable | undefined;

/** The shipped NDC table. The first prescription with an NDC loads it, because most commands never need it. */
export function loadNdcTable(): NdcTable {
  table ??= readNdcTable(brotliDecompressSync(readFileSync(FILE)));
  return table;
}
