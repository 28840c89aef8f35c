import type { Substance } from "./data.ts";
import type { SafetyRows } from "./rows.ts";
import { type Spellings, spellingsOf } from "./texts/spelling.ts";

/** The rules about the patient, indexed by drug so that an order takes a few lookups. */
export type PatientRules = {
  readonly conditions: ReadonlyMap<string, ConditionRow>;
  /** What people write for a condition, and the ICD-10 codes that begin with these characters. */
  readonly phrases: ReadonlyMap<string, readonly ConditionRow[]>;
  readonly longest_phrase: number;
  readonly codes: ReadonlyMap<string, readonly ConditionRow[]>;
  /** The single words of all phrases, and the same by spelling. */
  readonly vocabulary: ReadonlySet<string>;
  readonly spellings: Spellings;
  /** Finds a measured value in a text: its name, the comparison and the number. Null if the tables have none. */
  readonly measured: RegExp | null;
  readonly measurements: ReadonlyMap<string, readonly { row: MeasurementRow; condition: ConditionRow }[]>;
  readonly condition_rules: ByDrug<SafetyRows["condition_rules"][number]>;
  readonly age_rules: ByDrug<SafetyRows["age_rules"][number]>;
  readonly sex_rules: ByDrug<SafetyRows["sex_rules"][number]>;
  readonly weight_rules: ByDrug<SafetyRows["weight_rules"][number]>;
  readonly weekly_drugs: ByDrug<SafetyRows["weekly_drugs"][number]>;
  readonly dose_limits: ByDrug<SafetyRows["dose_limits"][number]>;
};
export type ConditionRow = SafetyRows["condition_words"][number];
type MeasurementRow = SafetyRows["measurements"][number];
type ByDrug<Row> = ReadonlyMap<string, readonly Row[]>;

/** `namesOf` gives the ingredients that a row means by a name: its own, or those of the brand or salt. */
export function patientRules(rows: SafetyRows, namesOf: (name: string) => readonly string[]): PatientRules {
  const phrases = grouped(rows.condition_words, ({ words }) => words);
  const byDrug = <Row extends { readonly drugs: readonly string[] }>(table: readonly Row[]) =>
    grouped(table, ({ drugs }) => new Set(drugs.flatMap(namesOf)));
  const conditions = new Map(rows.condition_words.map((row) => [row.condition, row]));
  const vocabulary = new Set([...phrases.keys()].flatMap((words) => words.split(" ")));
  const measurements = grouped(rows.measurements, ({ words }) => words);
  return {
    conditions,
    phrases,
    longest_phrase: Math.max(0, ...[...phrases.keys()].map((words) => words.split(" ").length)),
    codes: grouped(rows.condition_words, ({ icd10 }) => icd10),
    vocabulary,
    spellings: spellingsOf(vocabulary),
    measured: measuredIn([...measurements.keys()]),
    measurements: new Map(
      [...measurements].map(([words, group]) => [
        words,
        group.map((row) => ({ row, condition: conditions.get(row.condition) as ConditionRow })),
      ]),
    ),
    condition_rules: byDrug(rows.condition_rules),
    age_rules: byDrug(rows.age_rules),
    sex_rules: byDrug(rows.sex_rules),
    weight_rules: byDrug(rows.weight_rules),
    weekly_drugs: byDrug(rows.weekly_drugs),
    dose_limits: grouped(rows.dose_limits, ({ ingredient }) => namesOf(ingredient)),
  };
}

/** Between the name of a value and its number. */
const FILLER =
  "(?:[\\s:=~(+,-]|\\b(?:is|was|of|at|about|around|approx|approximately|level|currently|now|last|recent|result)\\b)";
const COMPARISON = "(<=?|>=?|≤|≥|less than|below|under|greater than|above|over|more than)?";
const NUMBER = "\\d{1,3}(?:,\\d{3})+|\\d+(?:\\.\\d+)?";

/**
 * The number follows the name, or it counts weeks: "pregnant, 7 weeks", "7 weeks pregnant". The longest names are first:
 * "creatinine clearance" is not "creatinine".
 */
function measuredIn(names: readonly string[]): RegExp | null {
  if (names.length === 0) return null;
  const longest_first = [...names].sort((a, b) => b.length - a.length);
  const name = longest_first.map((words) => words.replaceAll(" ", "[\\s-]+")).join("|");
  return new RegExp(
    `(?<![\\w-])(${name})(?!\\w)${FILLER}{0,6}${COMPARISON} ?(${NUMBER})|(?<![\\w.])(${NUMBER})[\\s-]*(?:weeks?|wks?|w)\\s+(?:of\\s+)?(${name})(?!\\w)`,
    "g",
  );
}

/** The rows that name the substance or one of its classes. */
export function rowsFor<Row>(index: ByDrug<Row>, { terms }: Substance): readonly Row[] {
  if (index.size === 0) return [];
  const found = new Set<Row>();
  for (const term of terms) for (const row of index.get(term) ?? []) found.add(row);
  return [...found];
}

function grouped<Row>(rows: readonly Row[], keysOf: (row: Row) => Iterable<string>): Map<string, Row[]> {
  const index = new Map<string, Row[]>();
  for (const row of rows) {
    for (const key of keysOf(row)) {
      const known = index.get(key);
      if (known === undefined) index.set(key, [row]);
      else known.push(row);
    }
  }
  return index;
}
