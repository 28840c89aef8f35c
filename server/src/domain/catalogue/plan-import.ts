import { readCell } from "./cells.ts";
import { type Column, catalogueColumns } from "./columns.ts";
import { scheduleByName } from "./controlled-drugs.ts";
import type { Fault, FileTable } from "./file-table.ts";
import type { Catalogue, CatalogueKind, ProductRow, Row, Value } from "./rows.ts";
import { brokenRules, CONTROLLED, type PlannedRow } from "./rules.ts";

type Key = string | number;
export type CatalogueDiff = {
  added: Key[];
  changed: { key: Key; fields: { field: string; from: Value; to: Value }[] }[];
  /** Rows that a complete file omits, so they are no longer offered. */
  retired: Key[];
  unchanged: number;
};
/** What an import would do. With faults it writes nothing and computes no differences. */
export type ImportPlan = {
  faults: readonly Fault[];
  /** Products whose ingredients the safety tables do not know. Their orders are held. */
  warnings: readonly Fault[];
  diff: CatalogueDiff;
  /** The complete rows to write: added and changed. */
  rows: readonly Row[];
};

/** How the safety tables read an ingredient: the names they have for it, and whether they know it exactly. */
export type ReadIngredient = (ingredient: string) => {
  names: readonly string[];
  known: boolean;
  did_you_mean: readonly string[];
};

const sentences = {
  unknown_ingredient: (place: number) =>
    `The safety tables do not know ingredient ${place}. Orders of this product are held until a pharmacist has looked.`,
  misspelled_ingredient: (place: number, names: readonly string[]) =>
    `The safety tables do not know ingredient ${place}. Did you mean ${names.join(" or ")}? Orders of this product are held until a pharmacist has looked.`,
  no_key: "The file lacks this column, which identifies the row.",
  no_column: "New rows need this column, and the file lacks it.",
  unknown_column: (columns: readonly Column[]) => `This column does not exist. Use: ${names(columns)}.`,
  repeated: "An earlier row has the same value.",
  no_shelf: "The account has no such product.",
} as const;

/**
 * Merges the file into the existing catalogue. A missing column keeps its values; an empty cell clears its value. Rows
 * that the file omits are retired, unless the file is partial. Stock is never retired.
 */
export function planImport(
  kind: CatalogueKind,
  table: FileTable,
  current: Catalogue,
  { partial, readIngredient }: { partial: boolean; readIngredient?: ReadIngredient | undefined },
): ImportPlan {
  const columns = catalogueColumns[kind];
  const key = columns[0].name;
  const before = new Map((current[kind] as readonly Row[]).map((row) => [row[key] as Key, row]));
  const reading = readRows(kind, table, before);
  const named = new Set(reading.rows.map(({ row }) => row[key] as Key));
  const left_out = [...before].filter(([one]) => !named.has(one));
  const stays = partial || kind === "stock" ? left_out : [];
  const planned = [...reading.rows, ...stays.map(([, row]) => ({ at: null, row }))];
  const read = kind === "products" && readIngredient ? ingredientFaults(reading.rows, readIngredient) : NOTHING_READ;
  const broken = brokenRules(kind, planned, current, reading.faults.length === 0);
  const faults = distinct([...reading.faults, ...broken, ...read.faults]);
  const { warnings } = read;
  if (faults.length > 0) {
    const diff = { added: [], changed: [], retired: [], unchanged: 0 };
    return { faults: inFileOrder(faults), warnings, diff, rows: [] };
  }

  const diff: CatalogueDiff = {
    added: [],
    changed: [],
    retired: stays.length > 0 ? [] : left_out.map(([one]) => one),
    unchanged: stays.length,
  };
  const rows = reading.rows.flatMap(({ row }) => {
    const base = before.get(row[key] as Key);
    const fields = base === undefined ? [] : differences(columns, base, row);
    if (base === undefined) diff.added.push(row[key] as Key);
    else if (fields.length > 0) diff.changed.push({ key: row[key] as Key, fields });
    else diff.unchanged++;
    return base === undefined || fields.length > 0 ? [row] : [];
  });
  return { faults, warnings, diff, rows };
}

export const changesNothing = ({ added, changed, retired }: CatalogueDiff): boolean =>
  added.length + changed.length + retired.length === 0;

const NOTHING_READ: { faults: Fault[]; warnings: Fault[] } = { faults: [], warnings: [] };

/** A brand can contain a controlled ingredient, and an ingredient that no table knows cannot be checked. */
function ingredientFaults(rows: readonly (PlannedRow & { at: string })[], readIngredient: ReadIngredient) {
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  for (const { at, row } of rows) {
    const { ingredients, drug_schedule, is_drug } = row as unknown as ProductRow;
    if (!is_drug) continue;
    const read = ingredients.map(readIngredient);
    const names = read.flatMap((one) => one.names);
    if (drug_schedule === "0" && scheduleByName(names.join(" ")) !== "0") {
      faults.push({ at, column: "drug_schedule", sentence: CONTROLLED });
    }
    for (const [index, { known, did_you_mean }] of read.entries()) {
      if (known) continue;
      const sentence =
        did_you_mean.length > 0
          ? sentences.misspelled_ingredient(index + 1, did_you_mean)
          : sentences.unknown_ingredient(index + 1);
      warnings.push({ at, column: "ingredients", sentence });
    }
  }
  return { faults, warnings };
}

function distinct(faults: readonly Fault[]): Fault[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const key = JSON.stringify(fault);
    return !seen.has(key) && seen.add(key);
  });
}

/** Returns the readable rows of the file, completed with existing values, and reports the problems of the others. */
function readRows(kind: CatalogueKind, table: FileTable, before: ReadonlyMap<Key, Row>) {
  const columns = catalogueColumns[kind];
  const [key] = columns;
  const faults: Fault[] = [...table.faults];
  const rows: (PlannedRow & { at: string })[] = [];
  for (const name of table.names) {
    if (name !== "" && !columns.some((column) => column.name === name)) {
      faults.push({ at: "file", column: name, sentence: sentences.unknown_column(columns) });
    }
  }
  if (table.rows.length === 0) return { rows, faults };
  if (!table.names.includes(key.name)) {
    return { rows, faults: [...faults, { at: "file", column: key.name, sentence: sentences.no_key }] };
  }
  const torn = new Set(table.faults.map(({ at }) => at));
  const seen = new Set<unknown>();
  const lacking = new Set<string>();
  for (const { at, cells } of table.rows.filter((row) => !torn.has(row.at))) {
    const wrong = (column: string, sentence: string) => faults.push({ at, column, sentence });
    const found = faults.length;
    const given = (column: Column) => {
      const cell = cells.get(column.name);
      return table.format === "csv" ? readCell(column.cell, cell as string) : cell;
    };
    const own = accepted(key, given(key));
    const base = own === undefined ? undefined : before.get(own as Key);
    if (own !== undefined && seen.has(own)) wrong(key.name, sentences.repeated);
    else if (own !== undefined && kind === "stock" && base === undefined) wrong(key.name, sentences.no_shelf);
    seen.add(own);
    const row: Record<string, Value> = { ...base };
    for (const column of columns) {
      if (!cells.has(column.name)) {
        if (base !== undefined) continue;
        if (column.empty !== undefined) row[column.name] = column.empty;
        else if (table.names.includes(column.name)) wrong(column.name, column.expected);
        else lacking.add(column.name);
        continue;
      }
      const value = accepted(column, given(column));
      if (value === undefined) wrong(column.name, column.expected);
      else row[column.name] = value;
    }
    if (faults.length === found) rows.push({ at, row });
  }
  for (const column of lacking) faults.push({ at: "file", column, sentence: sentences.no_column });
  return lacking.size > 0 ? { rows: [], faults } : { rows, faults };
}

function accepted({ accept, empty }: Column, given: unknown): Value | undefined {
  return given === null || given === "" ? empty : accept(given);
}

function differences(columns: readonly Column[], base: Row, row: Row): CatalogueDiff["changed"][number]["fields"] {
  return columns
    .map(({ name }) => ({ field: name, from: base[name] ?? null, to: row[name] ?? null }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

function inFileOrder(faults: readonly Fault[]): Fault[] {
  const place = ({ at }: Fault) => Number(/\d+/.exec(at)?.[0] ?? 0);
  return [...faults].sort((a, b) => place(a) - place(b));
}

const names = (columns: readonly Column[]) => columns.map(({ name }) => name).join(", ");
