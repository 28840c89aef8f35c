import { readCsv } from "../catalogue/csv.ts";
import { medicalWords } from "../values/text.ts";
import { type SafetyData, strangeSubstance } from "./data.ts";
import { type Place, SafetyDataFault } from "./read-rows.ts";
import { type InteractionRow, keyOfRow } from "./rows.ts";
import { readIngredient } from "./texts/understand.ts";

/** The columns of an interaction feed. Each side has either the class or the ingredient. */
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
/** Feeds from before 0.2.0 do not have this column. */
const ADVICE = "advice";
type Column = (typeof columns)[number] | typeof ADVICE;

const sentences = {
  head: `the first line must name the columns ${columns.join(",")}, and may name ${ADVICE}`,
  cells: "a different number of cells than the header",
  no_rows: "the file has no rows",
  several: "the tables read this as several ingredients: give a row for each",
  no_ingredient: "the tables read this as a class: give it as a class",
} as const;

/**
 * Replaces the interactions of the tables with those of a CSV file. The result is validated like any other data.
 * Resolves ingredients like those of products, so "sertraline hydrochloride" is sertraline. Adds unknown ingredients
 * and sources, which need only a name. A row that the tables already have, with the same severity, keeps its exceptions.
 */
export function withInteractionsOf(text: string, base: SafetyData, version: string): { json: unknown; place: Place } {
  const { records, faults: torn } = readCsv(text);
  const faults = torn.map(({ line, sentence }) => `line ${line}: ${sentence}`);
  const [head, ...body] = records;
  const names = head?.cells.map((cell) => cell.trim()) ?? [];
  const known = names.filter((name) => name !== ADVICE);
  const fits =
    new Set(names).size === names.length &&
    known.length === columns.length &&
    columns.every((column) => known.includes(column));
  if (!fits) faults.push(`line ${head?.line ?? 1}: ${sentences.head}`);
  else if (body.length === 0) faults.push(`file: ${sentences.no_rows}`);
  for (const { line, cells } of body) {
    if (cells.length !== names.length) faults.push(`line ${line}: ${sentences.cells}`);
  }
  if (faults.length > 0) throw new SafetyDataFault(faults);

  const sources: Record<string, string> = { ...base.rows.sources };
  const ingredients = new Map<string, { ingredient: string; aliases: string[]; source: string }>();
  const tabled = new Set(base.rows.ingredients.map(({ ingredient }) => ingredient));
  const replaced = new Map(base.rows.interactions.map((row) => [keyOfRow.interactions(row), row]));
  const interactions = body.map(({ line, cells }) => {
    const row = Object.fromEntries(names.map((name, index) => [name, cells[index]?.trim()])) as Record<Column, string>;
    if (row.source !== "" && !Object.hasOwn(sources, row.source)) sources[row.source] = row.source;
    const side = (group: string, drug: string, column: Column) => {
      const found = drug === "" ? [] : exactly(base, drug);
      if (found.length > 1) faults.push(`line ${line}.${column}: ${sentences.several}`);
      if (found.some(({ is_class }) => is_class)) faults.push(`line ${line}.${column}: ${sentences.no_ingredient}`);
      for (const { name } of found) {
        if (!tabled.has(name)) ingredients.set(name, { ingredient: name, aliases: [], source: row.source });
      }
      // Both or neither is not a valid side. The reader reports it.
      return { ...(group !== "" && { class: group }), ...(found[0] && { ingredient: found[0].name }) };
    };
    const sides = {
      a: side(row.a_class, row.a_ingredient, "a_ingredient"),
      b: side(row.b_class, row.b_ingredient, "b_ingredient"),
    };
    const severity = row.severity.toLowerCase();
    const known_row = replaced.get(keyOfRow.interactions(sides as InteractionRow));
    // A feed cannot express exceptions, and without them common pairs would hold.
    const before = known_row?.severity === severity ? known_row : undefined;
    return {
      ...sides,
      exceptions: before?.exceptions ?? [],
      severity,
      mechanism: row.mechanism,
      advice: row.advice || (before?.advice ?? null),
      washout_days: /^\d*$/.test(row.washout_days) ? Number(row.washout_days) : row.washout_days,
      source: row.source,
      since: row.since,
    };
  });
  if (faults.length > 0) throw new SafetyDataFault(faults);
  return {
    json: {
      ...base.rows,
      version,
      sources,
      ingredients: [...base.rows.ingredients, ...ingredients.values()],
      interactions,
    },
    place: (table, index) => (table === "interactions" ? `line ${body[index]?.line}` : `${table}[${index}]`),
  };
}

/** A file names its drugs exactly, so a name is never read as the one that it resembles. */
function exactly(base: SafetyData, drug: string) {
  const { substances, did_you_mean } = readIngredient(base, drug);
  return did_you_mean.length === 0 ? substances : [strangeSubstance(medicalWords(drug))];
}
