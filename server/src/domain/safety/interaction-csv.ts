import { readCsv } from "../catalogue/csv.ts";
import { plainWords } from "./plain-words.ts";
import { type Place, SafetyDataFault } from "./read-rows.ts";
import { type SafetyRows, safetyFields } from "./rows.ts";

/** The columns of a feed of interactions; of each side either the class or the ingredient is filled. */
const columns = [
  "a_class",
  "a_ingredient",
  "b_class",
  "b_ingredient",
  "severity",
  "mechanism",
  "washout_days",
  "source",
  "since",
] as const;
type Column = (typeof columns)[number];

const sentences = {
  head: `the first line must name the columns ${columns.join(",")}`,
  cells: "another number of cells than the first line has",
  no_rows: "the file has no rows",
  source: safetyFields.version.expected,
} as const;

/**
 * The tables with the interactions of a CSV file in place of their own, to be read like any other data. Ingredients
 * and sources that only the file names are added: they need nothing but their name.
 */
export function withInteractionsOf(text: string, base: SafetyRows, version: string): { json: unknown; place: Place } {
  const { records, faults: torn } = readCsv(text);
  const faults = torn.map(({ line, sentence }) => `line ${line}: ${sentence}`);
  const [head, ...body] = records;
  const names = head?.cells.map((cell) => cell.trim()) ?? [];
  const fits = names.length === columns.length && columns.every((column) => names.includes(column));
  if (!fits) faults.push(`line ${head?.line ?? 1}: ${sentences.head}`);
  else if (body.length === 0) faults.push(`file: ${sentences.no_rows}`);
  for (const { line, cells } of body) {
    if (cells.length !== names.length) faults.push(`line ${line}: ${sentences.cells}`);
  }
  if (faults.length > 0) throw new SafetyDataFault(faults);

  const rows = body.map(({ line, cells }) => {
    const row = Object.fromEntries(names.map((name, index) => [name, cells[index]?.trim()])) as Record<Column, string>;
    return { line, row };
  });
  const known = new Set(base.ingredients.map(({ ingredient }) => ingredient));
  const ingredients = new Map<string, { ingredient: string; aliases: string[]; source: string }>();
  const sources: Record<string, string> = { ...base.sources };
  for (const { row } of rows) {
    if (row.source !== "" && !Object.hasOwn(sources, row.source)) sources[row.source] = row.source;
    for (const name of [row.a_ingredient, row.b_ingredient].map(plainWords)) {
      if (name !== "" && !known.has(name)) ingredients.set(name, { ingredient: name, aliases: [], source: row.source });
    }
  }
  const json = {
    ...base,
    version,
    sources,
    ingredients: [...base.ingredients, ...ingredients.values()],
    interactions: rows.map(({ row }) => ({
      a: sideOf(row.a_class, row.a_ingredient),
      b: sideOf(row.b_class, row.b_ingredient),
      severity: row.severity.toLowerCase(),
      mechanism: row.mechanism,
      washout_days: /^\d*$/.test(row.washout_days) ? Number(row.washout_days) : row.washout_days,
      source: row.source,
      since: row.since,
    })),
  };
  const place: Place = (table, index) =>
    table === "interactions" ? `line ${rows[index]?.line}` : `${table}[${index}]`;
  return { json, place };
}

/** Both or neither filled is no side, which the reader tells. */
function sideOf(name: string, ingredient: string): unknown {
  return {
    ...(name !== "" && { class: name }),
    ...(ingredient !== "" && { ingredient: plainWords(ingredient) }),
  };
}
