import { readCsv } from "../../catalogue/csv.ts";
import { medicalWords } from "../../values/text.ts";
import type { SafetyData } from "../data.ts";
import { type Place, SafetyDataFault } from "../read-rows.ts";
import { type DrugNameRow, drugNames } from "./drug-names.ts";
import { readIngredient } from "./understand.ts";

/** The columns of a list of drug names: RxNorm's ingredients (IN), salts (PIN), combinations (MIN) and brands (BN). */
const columns = ["rxcui", "kind", "name", "ingredients", "source"] as const;
const kinds: ReadonlySet<string> = new Set(["IN", "PIN", "MIN", "BN"]);
type Cells = DrugNameRow & { source: string };

const sentences = {
  head: `the first line must name the columns ${columns.join(",")}`,
  cells: "a different number of cells than the header",
  no_rows: "the file has no rows",
  kind: `give one of ${[...kinds].join(", ")}`,
  name: "give a name",
  source: "give the source",
} as const;

/** Whether a CSV file is a list of names, and not of interactions. */
export const isNamesFile = (text: string): boolean => /^\ufeff?\s*"?rxcui"?\s*,/.test(text);

/**
 * Adds the names of a CSV file that neither the tables nor the shipped lists know: new ingredients, and brands as names
 * of their ingredients. Never changes the meaning of a known name. The result is validated like any other data.
 */
export function withNamesOf(text: string, base: SafetyData, version: string): { json: unknown; place: Place } {
  const rows = readRows(text);
  const sources: Record<string, string> = { ...base.rows.sources };
  const ingredients = new Map(base.rows.ingredients.map((row) => [row.ingredient, { ...row }]));
  const sourceOf = new Map(rows.map(({ name, source }) => [medicalWords(name), source]));
  const own = (name: string, source: string) => {
    const known = ingredients.get(name);
    if (known !== undefined) return known;
    sources[source] ??= source;
    const made = { ingredient: name, aliases: [] as readonly string[], other_use: [] as readonly string[], source };
    ingredients.set(name, made);
    return made;
  };
  for (const { name, ingredients: meant } of drugNames(rows, base.lexicon.salts)) {
    if ((base.phrases.get(name)?.substances.length ?? 0) > 0) continue;
    const source = sourceOf.get(name) ?? rows[0]!.source;
    if (meant.length === 0) own(name, source);
    for (const one of meant) {
      const { known, substances } = readIngredient(base, one);
      for (const drug of known ? substances.map((substance) => substance.name) : [one]) {
        const row = own(drug, source);
        ingredients.set(drug, { ...row, aliases: [...new Set([...row.aliases, name])] });
      }
    }
  }
  return {
    json: { ...base.rows, version, sources, ingredients: [...ingredients.values()] },
    place: (table, index) => `${table}[${index}]`,
  };
}

function readRows(text: string): Cells[] {
  const { records, faults: torn } = readCsv(text);
  const faults = torn.map(({ line, sentence }) => `line ${line}: ${sentence}`);
  const [head, ...body] = records;
  const names = head?.cells.map((cell) => cell.trim()) ?? [];
  const fits = names.length === columns.length && columns.every((column) => names.includes(column));
  if (!fits) throw new SafetyDataFault([...faults, `line ${head?.line ?? 1}: ${sentences.head}`]);
  if (body.length === 0) faults.push(`file: ${sentences.no_rows}`);
  const rows = body.map(({ line, cells }) => {
    const row = Object.fromEntries(names.map((name, index) => [name, cells[index]?.trim() ?? ""])) as Cells;
    if (cells.length !== names.length) faults.push(`line ${line}: ${sentences.cells}`);
    else if (!kinds.has(row.kind)) faults.push(`line ${line}.kind: ${sentences.kind}`);
    else if (medicalWords(row.name) === "") faults.push(`line ${line}.name: ${sentences.name}`);
    else if (row.source === "") faults.push(`line ${line}.source: ${sentences.source}`);
    return row;
  });
  if (faults.length > 0) throw new SafetyDataFault(faults);
  return rows;
}
