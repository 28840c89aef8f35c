import { keyOfRow, type SafetyRows, type SafetyTable, safetyFields, safetyTables } from "./rows.ts";

/** The changes of an import per table, by row key. Omits unchanged tables. */
export type SafetyDiff = { table: string; added: string[]; changed: string[]; removed: string[] }[];

export function diffSafetyRows(before: SafetyRows, after: SafetyRows): SafetyDiff {
  const tables = (Object.keys(safetyTables) as SafetyTable[]).map((table) => ({
    table: table as string,
    from: keyed(table, before),
    to: keyed(table, after),
  }));
  const words = (rows: SafetyRows) =>
    new Map(Object.entries(rows.words).flatMap(([list, texts]) => texts.map((text) => [`${list} ${text}`, ""])));
  const fields = (rows: SafetyRows) =>
    // Ignores the version, which always differs.
    new Map(Object.keys(safetyFields).flatMap((name) => (name === "version" ? [] : [[name, text(rows, name)]])));
  return [
    { table: "settings", from: fields(before), to: fields(after) },
    { table: "sources", from: new Map(Object.entries(before.sources)), to: new Map(Object.entries(after.sources)) },
    ...tables,
    { table: "words", from: words(before), to: words(after) },
  ]
    .map(({ table, from, to }) => ({
      table,
      added: [...to.keys()].filter((key) => !from.has(key)),
      changed: [...to].filter(([key, row]) => from.has(key) && from.get(key) !== row).map(([key]) => key),
      removed: [...from.keys()].filter((key) => !to.has(key)),
    }))
    .filter(({ added, changed, removed }) => added.length + changed.length + removed.length > 0);
}

function keyed(table: SafetyTable, rows: SafetyRows): Map<string, string> {
  const keyOf = keyOfRow[table] as (row: unknown) => string;
  return new Map(rows[table].map((row) => [keyOf(row), JSON.stringify(row)]));
}

const text = (rows: SafetyRows, name: string) => String(rows[name as keyof typeof safetyFields]);
