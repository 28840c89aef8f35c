import { MAX_CITY_CHARACTERS, standardCity } from "./city-name.ts";
import { isStateCode, type StateCode } from "./states.ts";

export interface ZipRow {
  zip5: string;
  state: StateCode;
  city: string;
}

/** More than all possible ZIP codes. */
const MAX_LINES = 100_001;
const HEADER = ["zip", "state", "city"];

const faults = {
  too_long: "the file has more lines than there are ZIP codes",
  columns: "expected zip,state,city",
  zip: "the zip is not five digits (spreadsheets drop leading zeros)",
  state: "the state is not a two-letter code of the United States",
  city: `the city is empty or longer than ${MAX_CITY_CHARACTERS} characters`,
  repeated: "an earlier line already has this zip",
} as const;

/** The faults of a ZIP code file, one line each. */
export class ZipRowFaults extends Error {}

/**
 * Parses the rows of a CSV file `zip,state,city`. The header is optional; additional columns are ignored. Skips blank
 * lines and lines that begin with #.
 */
export function parseZipRows(text: string): ZipRow[] {
  const found: string[] = [];
  const rows = new Map<string, ZipRow>();
  const fault = (line: number, kind: keyof typeof faults) => found.push(`line ${line}: ${faults[kind]}`);

  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/, MAX_LINES + 1);
  if (lines.length > MAX_LINES) throw new ZipRowFaults(`line ${MAX_LINES}: ${faults.too_long}`);
  let columns = HEADER.length;
  let first = true;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const cells = line.split(",").map((cell) => cell.trim().replaceAll(/^"|"$/g, ""));
    const header = first && HEADER.every((name, column) => cells[column]?.toLowerCase() === name);
    first = false;
    if (header) {
      columns = cells.length;
      continue;
    }
    const [zip5 = "", state = "", city = ""] = cells;
    const known = state.toUpperCase();
    const name = city.length <= MAX_CITY_CHARACTERS ? standardCity(city) : "";
    if (cells.length !== columns) fault(index + 1, "columns");
    else if (!/^\d{5}$/.test(zip5)) fault(index + 1, "zip");
    else if (!isStateCode(known)) fault(index + 1, "state");
    else if (name === "") fault(index + 1, "city");
    else if (rows.has(zip5)) fault(index + 1, "repeated");
    else rows.set(zip5, { zip5, state: known, city: name });
  }
  if (found.length > 0) throw new ZipRowFaults(found.join("\n"));
  return [...rows.values()].sort((a, b) => (a.zip5 < b.zip5 ? -1 : 1));
}
