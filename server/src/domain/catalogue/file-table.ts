import { isSentObject } from "../values/unknown-fields.ts";
import { catalogueColumns } from "./columns.ts";
import { readCsv } from "./csv.ts";
import { type CatalogueKind, catalogueKinds } from "./rows.ts";

/** A problem in a file: the row as users can find it, the column if it concerns one, and what to do. */
export type Fault = { at: string; column: string | null; sentence: string };

/** A file as rows of raw values, before validation. */
export type FileTable = {
  format: "csv" | "json";
  /** Columns that occur in at least one row. */
  names: readonly string[];
  rows: readonly { at: string; cells: ReadonlyMap<string, unknown> }[];
  faults: readonly Fault[];
};

/** One statement merges all rows into the catalogue, so the number is limited. */
const MOST_ROWS = 20_000;

const sentences = {
  empty: "The file has no rows.",
  too_many: `A file can have at most ${MOST_ROWS} rows.`,
  separator: "Separate the columns with commas. This line has none.",
  unnamed: "A column has no name.",
  repeated: "The column occurs twice.",
  cells: "The line has a different number of cells than the header.",
  no_json: "This is not valid JSON.",
  no_array: "The file is not a JSON array of objects.",
  no_object: "This is not a JSON object.",
} as const;

/** JSON begins with a bracket. Everything else is read as CSV. */
export function readFileTable(text: string): FileTable {
  return /^\ufeff?\s*[[{]/.test(text) ? readJson(text.replace(/^\ufeff/, "")) : readCsvTable(text);
}

/** Returns the only kind that has all of these columns and no other required column. */
export function kindOfColumns(names: readonly string[]): CatalogueKind | undefined {
  const fitting = catalogueKinds.filter((kind) => {
    const columns = catalogueColumns[kind];
    const filled = columns.filter(({ empty }) => empty === undefined);
    return names.every((name) => columns.some((column) => column.name === name)) && filled.every(has);
  });
  function has({ name }: { name: string }) {
    return names.includes(name);
  }
  return fitting.length === 1 ? fitting[0] : undefined;
}

function readCsvTable(text: string): FileTable {
  const { records, faults: torn } = readCsv(text);
  const faults: Fault[] = torn.map(({ line, sentence }) => fault(`line ${line}`, sentence));
  const [head, ...body] = records;
  if (head === undefined || body.length === 0) {
    return {
      format: "csv",
      names: [],
      rows: [],
      faults: faults.length > 0 ? faults : [fault("file", sentences.empty)],
    };
  }
  const names = head.cells.map((cell) => cell.trim());
  const at = `line ${head.line}`;
  if (names.length === 1 && /[;\t]/.test(names[0] as string)) {
    return { format: "csv", names: [], rows: [], faults: [...faults, fault(at, sentences.separator)] };
  }
  if (names.includes("")) faults.push(fault(at, sentences.unnamed));
  for (const name of new Set(names.filter((one, index) => one !== "" && names.indexOf(one) !== index))) {
    faults.push(fault(at, sentences.repeated, name));
  }
  if (body.length > MOST_ROWS) faults.push(fault("file", sentences.too_many));
  const rows = body.slice(0, MOST_ROWS).map(({ line, cells }) => {
    if (cells.length !== names.length) faults.push(fault(`line ${line}`, sentences.cells));
    return { at: `line ${line}`, cells: new Map(names.map((name, index) => [name, cells[index] ?? ""])) };
  });
  return { format: "csv", names, rows, faults };
}

function readJson(text: string): FileTable {
  const refused = (at: string, sentence: string): FileTable => ({
    format: "json",
    names: [],
    rows: [],
    faults: [fault(at, sentence)],
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return refused(placeOf(text, (error as Error).message), sentences.no_json);
  }
  if (!Array.isArray(parsed)) return refused("file", sentences.no_array);
  if (parsed.length === 0) return refused("file", sentences.empty);
  if (parsed.length > MOST_ROWS) return refused("file", sentences.too_many);
  const faults: Fault[] = [];
  const rows = parsed.flatMap((item: unknown, index) => {
    const at = `item ${index + 1}`;
    if (isSentObject(item)) return [{ at, cells: new Map(Object.entries(item)) }];
    faults.push(fault(at, sentences.no_object));
    return [];
  });
  return { format: "json", names: [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))], rows, faults };
}

/** Takes only the position from the engine's message, because the rest quotes the file. */
function placeOf(text: string, message: string): string {
  const position = /position (\d+)/.exec(message)?.[1];
  const before = text.slice(0, position === undefined ? text.length : Number(position));
  return `line ${before.split("\n").length}`;
}

const fault = (at: string, sentence: string, column: string | null = null): Fault => ({ at, column, sentence });
