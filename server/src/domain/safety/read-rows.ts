import { drugSchedules } from "@pestle/contract";
import { isSentObject, type SentFields } from "../values/unknown-fields.ts";
import {
  canaryKinds,
  type Field,
  keyOfRow,
  laterTables,
  type SafetyRows,
  type SafetyTable,
  type Side,
  safetyFields,
  safetyTables,
  wordLists,
} from "./rows.ts";

/** Why safety data is unusable: every fault and what was expected. Never contains the data itself. */
export class SafetyDataFault extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The safety data has faults: ${faults.slice(0, MOST_TOLD).join("; ")}${more(faults)}`);
    this.faults = faults;
  }
}

/** How to find a row in its source file. */
export type Place = (table: SafetyTable, index: number) => string;

const MOST_TOLD = 5;
const MOST_ROWS = 500_000;

const sentences = {
  no_object: "expected a JSON object",
  no_table: "expected a list of rows",
  too_many: `a table has at most ${MOST_ROWS} rows`,
  unknown_field: "this field does not exist",
  repeated: "an earlier row has the same value",
  no_ingredient: "the table of ingredients has no such name",
  no_class: "the table of classes has no such class",
  no_condition: "the table of condition words has no such condition",
  no_source: "sources has no such name",
  no_words: "a class that is allergic by name needs words",
  taken: "a class cannot have the name of an ingredient",
  no_rule: "no rule, or more than one, for schedule",
  no_canary: "no canary covers",
} as const;

const tables = Object.keys(safetyTables) as SafetyTable[];

/** Reads every row, or throws all faults at once. Never skips a row that it does not understand. */
export function readSafetyRows(json: unknown, place: Place = (table, index) => `${table}[${index}]`): SafetyRows {
  const faults: string[] = [];
  const tell = (where: string, sentence: string) => void faults.push(`${where}: ${sentence}`);
  if (!isSentObject(json)) throw new SafetyDataFault([`file: ${sentences.no_object}`]);
  const known: readonly string[] = [...Object.keys(safetyFields), "sources", "words", ...tables];
  for (const name of Object.keys(json)) if (!known.includes(name)) tell("file", sentences.unknown_field);

  const rows: Record<string, unknown> = {
    ...readFields(safetyFields, pick(json, safetyFields), "", tell),
    sources: readSources(json["sources"], tell),
    words: isSentObject(json["words"])
      ? readFields(wordLists, json["words"], "words.", tell)
      : tell("words", sentences.no_object),
  };
  for (const table of tables) {
    const given = Object.hasOwn(json, table) || !laterTables.has(table) ? json[table] : [];
    if (!Array.isArray(given)) tell(table, sentences.no_table);
    else if (given.length > MOST_ROWS) tell(table, sentences.too_many);
    else rows[table] = given.map((row, index) => readRow(table, row, place(table, index), tell));
  }
  // Checks across rows only if all rows are readable.
  if (faults.length === 0) checkTogether(rows as SafetyRows, place, tell);
  if (faults.length > 0) throw new SafetyDataFault(faults);
  return rows as SafetyRows;
}

type Tell = (where: string, sentence: string) => void;

function readRow(table: SafetyTable, row: unknown, where: string, tell: Tell): unknown {
  return isSentObject(row) ? readFields(safetyTables[table], row, `${where}.`, tell) : tell(where, sentences.no_object);
}

function readFields(fields: Record<string, Field<unknown>>, given: SentFields, prefix: string, tell: Tell) {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name)) tell(prefix.replace(/\.$/, ""), sentences.unknown_field);
  }
  const read = Object.entries(fields).map(([name, field]) => {
    const left_out = !Object.hasOwn(given, name);
    const value = left_out && "missing" in field ? field.missing : field.read(given[name]);
    if (value === undefined) tell(`${prefix}${name}`, field.expected);
    return [name, value];
  });
  return Object.fromEntries(read);
}

function readSources(given: unknown, tell: Tell): Record<string, string> {
  if (!isSentObject(given)) {
    tell("sources", sentences.no_object);
    return {};
  }
  // No prototype, so that any name is safe as a key.
  const sources: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [index, [name, citation]] of Object.entries(given).entries()) {
    const value = safetyFields.version.read(citation);
    if (value === undefined) tell(`sources[${index}]`, safetyFields.version.expected);
    else sources[name] = value;
  }
  return sources;
}

/** Checks that references exist, that no row is repeated, and that each required rule and canary exists. */
function checkTogether(rows: SafetyRows, place: Place, tell: Tell): void {
  const ingredients = new Set(rows.ingredients.map(({ ingredient }) => ingredient));
  const classes = new Set(rows.classes.map((row) => row.class));
  const conditions = new Set(rows.condition_words.map(({ condition }) => condition));
  const named = (where: string, names: readonly string[]) => {
    if (!names.every((name) => ingredients.has(name))) tell(where, sentences.no_ingredient);
  };
  const sided = (where: string, side: Side) => {
    if ("ingredient" in side) named(where, [side.ingredient]);
    else if (!classes.has(side.class)) tell(where, sentences.no_class);
  };
  for (const table of tables) {
    const seen = new Set<string>();
    for (const [index, row] of rows[table].entries()) {
      const where = place(table, index);
      const key = (keyOfRow[table] as (row: unknown) => string)(row);
      if (seen.has(key)) tell(where, sentences.repeated);
      seen.add(key);
      if ("source" in row && !Object.hasOwn(rows.sources, row.source)) tell(`${where}.source`, sentences.no_source);
      if ("ingredients" in row) named(`${where}.ingredients`, row.ingredients);
      if ("a" in row) sided(`${where}.a`, row.a);
      if ("b" in row) sided(`${where}.b`, row.b);
      if ("sides" in row) for (const one of row.sides) sided(`${where}.sides`, one);
      if ("exceptions" in row) {
        named(
          `${where}.exceptions`,
          row.exceptions.flatMap(({ drug }) => drug ?? []),
        );
      }
      if ("drugs" in row && !row.drugs.every((term) => isTerm(term, classes)))
        tell(`${where}.drugs`, sentences.no_class);
      if ("condition" in row && !conditions.has(row.condition)) tell(`${where}.condition`, sentences.no_condition);
      if ("unless" in row && !(row.unless as readonly string[]).every((one) => conditions.has(one)))
        tell(`${where}.unless`, sentences.no_condition);
      if ("recent" in row && row.recent !== null && !conditions.has(row.recent))
        tell(`${where}.recent`, sentences.no_condition);
      if ("allergy" in row && row.allergy === "named" && row.words.length === 0)
        tell(`${where}.words`, sentences.no_words);
      if ("class" in row && ingredients.has(row.class)) tell(`${where}.class`, sentences.taken);
    }
  }
  const ruled = rows.refill_rules
    .filter((rule) => rule.ingredients.length === 0)
    .flatMap(({ drug_schedules }) => drug_schedules);
  for (const schedule of drugSchedules) {
    if (ruled.filter((one) => one === schedule).length !== 1) tell("refill_rules", `${sentences.no_rule} ${schedule}`);
  }
  const required = [
    ...canaryKinds,
    ...(rows.combinations.length > 0 ? (["combination"] as const) : []),
    ...(rows.classes.some(({ duplicates }) => duplicates === "major") ? (["duplicate_therapy"] as const) : []),
  ];
  for (const kind of required) {
    if (!rows.canaries.some(({ covers }) => covers === kind)) tell("canaries", `${sentences.no_canary} ${kind}`);
  }
}

/** Rules about the patient may name ingredients that only products have. A class must exist, because it has members. */
const isTerm = (term: string, classes: ReadonlySet<string>) =>
  !term.startsWith("class ") || classes.has(term.slice("class ".length));

const pick = (json: SentFields, fields: Record<string, unknown>): SentFields =>
  Object.fromEntries(Object.keys(fields).flatMap((name) => (Object.hasOwn(json, name) ? [[name, json[name]]] : [])));

const more = (faults: readonly string[]) =>
  faults.length > MOST_TOLD ? `; and ${faults.length - MOST_TOLD} more` : "";
