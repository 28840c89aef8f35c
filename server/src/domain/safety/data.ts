import { type PatientRules, patientRules } from "./patient-rules.ts";
import { type Place, readSafetyRows } from "./read-rows.ts";
import {
  type ClassRow,
  type CrossReactionRow,
  classTerm,
  type ExcipientRow,
  type InteractionRow,
  type SafetyRows,
  type Side,
  termOf,
} from "./rows.ts";
import { addLexicon } from "./texts/add-lexicon.ts";
import { type Lexicon, NO_LEXICON } from "./texts/lexicon.ts";
import { type Spellings, spellingsOf } from "./texts/spelling.ts";

/** The safety tables, with indexes that are built once so that checking an order takes a few lookups. */
export type SafetyData = {
  readonly version: string;
  readonly rows: SafetyRows;
  /** Ingredients by their names. */
  readonly substances: ReadonlyMap<string, Substance>;
  readonly phrases: ReadonlyMap<string, Phrase>;
  /** Other names of an ingredient, mostly brands. */
  readonly brands: ReadonlyMap<string, readonly string[]>;
  /** Brands for another use than the other products of their ingredient. */
  readonly other_use: ReadonlySet<string>;
  /** Number of words in the longest phrase that begins with this word. */
  readonly longest_phrase: ReadonlyMap<string, number>;
  readonly lexicon: Lexicon;
  readonly spellings: Spellings;
  readonly interactions: PairIndex<InteractionRow>;
  readonly cross_reactions: PairIndex<CrossReactionRow>;
  readonly classes: ReadonlyMap<string, ClassRow>;
  readonly patient_rules: PatientRules;
  /** The full text of a row's source. */
  citationOf(row: { readonly source: string }): string;
};

/** An ingredient, or a class if the text names only that. */
export type Substance = {
  readonly name: string;
  /** Display name. */
  readonly shown: string;
  readonly is_class: boolean;
  /** Its classes. A class belongs to itself. */
  readonly classes: readonly ClassRow[];
  /** Terms that rows use for it: its name and its classes. */
  readonly terms: readonly string[];
  readonly source: string | null;
};

/** The meaning of a phrase. A brand with two ingredients means both. */
export type Phrase = {
  readonly substances: readonly Substance[];
  readonly excipients: readonly ExcipientRow[];
  readonly says: "no_allergies" | "no_drug" | "description" | null;
};

/** A row as seen from one of its sides. */
export type Pair<Row> = { readonly row: Row; readonly own: Side; readonly other: Side };
type PairIndex<Row> = ReadonlyMap<string, ReadonlyMap<string, readonly Pair<Row>[]>>;

/** Throws `SafetyDataFault` with all faults. */
export function readSafetyData(json: unknown, place?: Place, lexicon: Lexicon = NO_LEXICON): SafetyData {
  const rows = readSafetyRows(json, place);
  const substances = tableSubstances(rows);
  const phrases: Map<string, Phrase> = phrasesOf(rows, substances);
  addLexicon(lexicon, substances, phrases);
  return {
    version: rows.version,
    rows,
    substances,
    phrases,
    brands: new Map(rows.ingredients.map(({ ingredient, aliases }) => [ingredient, aliases])),
    other_use: new Set(rows.ingredients.flatMap((row) => row.other_use)),
    longest_phrase: longestOf(phrases),
    lexicon,
    spellings: spellingsOf(phrases.keys()),
    interactions: indexed(rows.interactions),
    cross_reactions: indexed(rows.cross_reactions),
    classes: new Map(rows.classes.map((row) => [row.class, row])),
    patient_rules: patientRules(rows, (name) =>
      substances.has(name) ? [name] : (phrases.get(name)?.substances.map((one) => one.name) ?? [name]),
    ),
    citationOf: ({ source }) => (rows.sources[source] ?? lexicon.sources[source]) as string,
  };
}

/** An ingredient without a table entry, and so without classes. */
export const strangeSubstance = (name: string): Substance => ({
  name,
  shown: name,
  is_class: false,
  classes: [],
  terms: [name],
  source: null,
});

/** The rows for a pair of substances. */
export function pairsOf<Row>(index: PairIndex<Row>, one: Substance, other: Substance): readonly Pair<Row>[] {
  const found: Pair<Row>[] = [];
  for (const term of one.terms) {
    const partners = index.get(term);
    if (partners === undefined) continue;
    for (const partner of other.terms) found.push(...(partners.get(partner) ?? []));
  }
  return found;
}

/** Whether there are rows for a pair of substances. */
export function hasPairs<Row>(index: PairIndex<Row>, one: Substance, other: Substance): boolean {
  for (const term of one.terms) {
    const partners = index.get(term);
    if (partners !== undefined && other.terms.some((partner) => partners.has(partner))) return true;
  }
  return false;
}

function tableSubstances({ ingredients, classes }: SafetyRows): Map<string, Substance> {
  const memberships = new Map<string, ClassRow[]>();
  for (const row of classes) for (const name of row.ingredients) append(memberships, name, row);
  return new Map(
    ingredients.map(({ ingredient, source }) => {
      const own = memberships.get(ingredient) ?? [];
      const terms = [ingredient, ...own.map((row) => classTerm(row.class))];
      return [ingredient, { name: ingredient, shown: ingredient, is_class: false, classes: own, terms, source }];
    }),
  );
}

/** Every ACE inhibitor is a RAS inhibitor, so rows for the wider class concern the narrower one too. */
const classSubstance = (row: ClassRow, classes: readonly ClassRow[]): Substance => ({
  name: row.class,
  shown: row.name,
  is_class: true,
  classes: [row],
  terms: classes
    .filter((wider) => wider === row || row.ingredients.every((name) => wider.ingredients.includes(name)))
    .map((wider) => classTerm(wider.class)),
  source: row.source,
});

/** All phrases with a meaning. The same words in two rows mean both. */
function phrasesOf(rows: SafetyRows, substances: ReadonlyMap<string, Substance>): Map<string, Phrase> {
  type Growing = { substances: Substance[]; excipients: ExcipientRow[]; says: Phrase["says"] };
  const phrases = new Map<string, Growing>();
  const phrase = (words: string) => {
    const known = phrases.get(words) ?? { substances: [], excipients: [], says: null };
    phrases.set(words, known);
    return known;
  };
  for (const { ingredient, aliases } of rows.ingredients) {
    const substance = substances.get(ingredient) as Substance;
    for (const words of new Set([ingredient, ...aliases])) phrase(words).substances.push(substance);
  }
  for (const row of rows.classes) {
    if (row.words.length === 0) continue;
    const substance = classSubstance(row, rows.classes);
    for (const words of row.words) phrase(words).substances.push(substance);
  }
  for (const row of rows.excipients) {
    for (const words of new Set([row.excipient, ...row.words])) phrase(words).excipients.push(row);
  }
  for (const says of ["description", "no_drug", "no_allergies"] as const) {
    for (const words of rows.words[says]) phrase(words).says = says;
  }
  return phrases;
}

function longestOf(phrases: ReadonlyMap<string, unknown>): Map<string, number> {
  const longest = new Map<string, number>();
  for (const words of phrases.keys()) {
    const [first, ...rest] = words.split(" ") as [string, ...string[]];
    longest.set(first, Math.max(longest.get(first) ?? 0, rest.length + 1));
  }
  return longest;
}

/** Indexed from both sides, because either drug can be the ordered one. */
function indexed<Row extends { readonly a: Side; readonly b: Side }>(rows: readonly Row[]): PairIndex<Row> {
  const index = new Map<string, Map<string, Pair<Row>[]>>();
  const add = (row: Row, own: Side, other: Side) => {
    const partners = index.get(termOf(own)) ?? new Map<string, Pair<Row>[]>();
    index.set(termOf(own), partners);
    append(partners, termOf(other), { row, own, other });
  };
  for (const row of rows) {
    add(row, row.a, row.b);
    if (termOf(row.a) !== termOf(row.b)) add(row, row.b, row.a);
  }
  return index;
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
