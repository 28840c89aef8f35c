import { type DrugSchedule, drugSchedules } from "@pestle/contract";
import { isDate } from "../values/calendar.ts";
import { medicalWords } from "../values/text.ts";
import { isSentObject } from "../values/unknown-fields.ts";

export const severities = ["contraindicated", "major", "moderate"] as const;
export type Severity = (typeof severities)[number];

/** One side of an interaction: every member of a class, or one ingredient. */
export type Side = { readonly class: string } | { readonly ingredient: string };

/** What a canary checks. Every kind is required: tables without canaries are unusable. */
export const canaryKinds = [
  "allergy_ingredient",
  "allergy_class",
  "allergy_cross",
  "interaction_class",
  "interaction_ingredient",
  "near_miss",
] as const;

/** Canaries for rules that tables from before 0.2.0 lack. Tables that have such rules need them too. */
export const laterCanaryKinds = ["combination", "duplicate_therapy"] as const;

/** A column: how to read it, the error message if that fails, and the default if it is omitted. */
export type Field<Value> = {
  read(given: unknown): Value | undefined;
  expected: string;
  missing?: Value;
};

/**
 * A case in which a row counts less, or more. It applies if every given part does: the pair has `drug`; the text of that
 * drug has one of the `words` or a strength within the limit; the patient has one of the `conditions`.
 */
export type RowException = {
  readonly drug: string | null;
  readonly words: readonly string[];
  readonly most_mg: number | null;
  readonly above_mg: number | null;
  readonly conditions: readonly string[];
  readonly severity: Severity | "none";
};

const LONGEST_LINE = 300;
/** Together with the grace period this must stay within the loaded history of a patient. */
const MOST_WASHOUT_DAYS = 50;
const MOST_GRACE_DAYS = 10;
const MOST_DAYS_SUPPLY = 365;
const OLDEST = 120;

/** The columns of each table of the safety data. */
export const safetyTables = {
  ingredients: {
    ingredient: plain(),
    aliases: phrases(),
    /** Brands for another use than the others: Zyban beside bupropion is a second therapy. */
    other_use: { ...phrases(), missing: [] as readonly string[] },
    source: line(),
  },
  classes: {
    class: id(),
    name: line(),
    ingredients: names(1),
    /** Names that people use for the class instead of an ingredient. */
    words: { ...phrases(), missing: [] as readonly string[] },
    /** `members`: an allergy to one member counts for all. `named`: only if the class itself is named. */
    allergy: orNull(oneOf(["members", "named"])),
    /** How serious it is to take two at once; null if that is common practice. */
    duplicates: duplicates(),
    /** In a topical form its members stay where they are applied. */
    local_if_topical: { ...flag(), missing: false },
    source: line(),
  },
  interactions: {
    a: side(),
    b: side(),
    severity: oneOf(severities),
    mechanism: line(),
    /** What the pharmacist should do. */
    advice: orNull(line()),
    /** The first that applies replaces the severity. */
    exceptions: { ...exceptions(), missing: [] as readonly RowException[] },
    /** How long after the last dose it can still happen. */
    washout_days: { ...whole(0, MOST_WASHOUT_DAYS), missing: 0 },
    source: line(),
    /** When the row was added to the tables. */
    since: date(),
  },
  /** Three or more drugs that are dangerous only together. */
  combinations: {
    combination: id(),
    sides: listOf(side(), 3, "three or more sides"),
    severity: oneOf(severities),
    mechanism: line(),
    advice: orNull(line()),
    source: line(),
    since: date(),
  },
  cross_reactions: { a: side(), b: side(), severity: oneOf(["major", "moderate"]), note: line(), source: line() },
  excipients: {
    excipient: plain(),
    words: phrases(),
    /** Drugs whose usual products contain it. */
    ingredients: { ...names(0), missing: [] as readonly string[] },
    /** Forms and brands that contain it, if other products of the drug do not: "testosterone enanthate". */
    products: { ...phrases(), missing: [] as readonly string[] },
    /** Forms and brands of the `ingredients` that do not contain it: "nasal". */
    except_products: { ...phrases(), missing: [] as readonly string[] },
    source: line(),
  },
  refill_rules: {
    drug_schedules: schedules(),
    /** Only for products with one of these. Empty: for all others of the schedules. */
    ingredients: { ...names(0), missing: [] as readonly string[] },
    /** Which share of the last fill must be used up. */
    share: share(),
    /** A refill before this share holds the order. Null: as `share` for controlled drugs, otherwise never. */
    hold_share: orNull(share()),
    /** How many days on hand early refills may add up to over a year, besides the unused share of the last fill. */
    most_early_days: { ...whole(0, MOST_DAYS_SUPPLY), missing: 15 },
    source: line(),
  },
  canaries: {
    name: line(),
    covers: oneOf([...canaryKinds, ...laterCanaryKinds]),
    items: listOf(names(1), 1, "lists of ingredients"),
    medications: lines(),
    allergies: lines(),
    conditions: { ...lines(), missing: [] as readonly string[] },
    /** The keys of everything that must hold the order, and nothing else. */
    expects: lines(),
  },
  /** The conditions that rules name, and how people write them. */
  condition_words: {
    condition: id(),
    name: line(),
    words: phrases(),
    /** Codes that begin with these characters, without the dot. */
    icd10: { ...codes(), missing: [] as readonly string[] },
    /** Whether a relative's condition counts as the patient's. */
    family: { ...oneOf(["counts", "ignored"]), missing: "ignored" as const },
    /** The condition that it also is while it is recent: a heart attack last month. */
    recent: orNull(id()),
    source: line(),
  },
  /** Measured values that mean a condition: "eGFR 24". A value outside of least to most is something else. */
  measurements: {
    words: phrases(),
    condition: id(),
    below: orNull(amount()),
    above: orNull(amount()),
    least: amount(),
    most: amount(),
    source: line(),
  },
  condition_rules: { condition: id(), ...ages(), ...patientRule() },
  age_rules: { ...ages(), ...patientRule() },
  sex_rules: {
    sex: oneOf(["F", "M"]),
    ...ages(),
    ...patientRule(),
    /** Conditions for which the drug is meant in spite of the sex. */
    unless: { ...listOf(id(), 0, "conditions"), missing: [] as readonly string[] },
  },
  weight_rules: { below_kg: amount(), ...patientRule() },
  /** Drugs that the label gives at most so many times a week. */
  weekly_drugs: {
    drugs: terms(),
    most_per_week: amount(),
    /** In mg or units. Other strengths of the drug are for other directions. */
    strengths: { ...listOf(amount(), 0, "numbers"), missing: [] as readonly number[] },
    /** The product's name must have one of them. */
    words: { ...phrases(), missing: [] as readonly string[] },
    /** A product or directions with one of them are for daily use. */
    except_words: { ...phrases(), missing: [] as readonly string[] },
    severity: oneOf(severities),
    reason: line(),
    advice: line(),
    source: line(),
  },
  /** The most that a label allows per day, by any indication. */
  dose_limits: {
    ingredient: plain(),
    max_per_day: amount(),
    unit: { ...oneOf(["mg", "unit", "meq"]), missing: "mg" as const },
    sex: orNull(oneOf(["F", "M"])),
    ...ages(),
    words: { ...phrases(), missing: [] as readonly string[] },
    severity: { ...oneOf(severities), missing: "major" as const },
    source: line(),
  },
} as const satisfies Record<string, Record<string, Field<unknown>>>;

/** Tables that 0.1.0 did not have. A file without them has no such rules. */
export const laterTables: ReadonlySet<string> = new Set<keyof typeof safetyTables>([
  "combinations",
  "condition_words",
  "measurements",
  "condition_rules",
  "age_rules",
  "sex_rules",
  "weight_rules",
  "weekly_drugs",
  "dose_limits",
]);

/** Fields besides the tables. */
export const safetyFields = {
  version: line(),
  /** Days that a patient is assumed to have some left beyond the supply. */
  grace_days: whole(0, MOST_GRACE_DAYS),
  /** Assumed duration of a fill without days of supply. */
  unknown_days_supply: whole(1, MOST_DAYS_SUPPLY),
} as const satisfies Record<string, Field<unknown>>;

/** Words in the texts about a patient that do not name a drug. */
export const wordLists = {
  /** "NKDA": the patient was asked and has none. */
  no_allergies: phrases(),
  /** Allergies that do not concern drugs, such as pollen. */
  no_drug: phrases(),
  /** Words around the name: reaction, severity, time. */
  description: phrases(),
  /** Forms and brands that are applied, not swallowed. */
  topical_forms: { ...phrases(), missing: [] as readonly string[] },
  /** Forms that are swallowed. They overrule the topical ones: "soft gel capsules". */
  oral_forms: { ...phrases(), missing: [] as readonly string[] },
  /** Side effects. An entry with one of them, and without a sign of an allergy, concerns that drug alone. */
  side_effects: { ...phrases(), missing: [] as readonly string[] },
  /** Signs of an allergy or of a severe reaction. They overrule the side effects. */
  allergy_signs: { ...phrases(), missing: [] as readonly string[] },
} as const satisfies Record<string, Field<readonly string[]>>;

type ValueOf<Given> = Given extends Field<infer Value> ? Value : never;
type RowOf<Columns> = { readonly [name in keyof Columns]: ValueOf<Columns[name]> };
export type SafetyTable = keyof typeof safetyTables;
export type ClassRow = RowOf<(typeof safetyTables)["classes"]>;
export type InteractionRow = RowOf<(typeof safetyTables)["interactions"]>;
export type CombinationRow = RowOf<(typeof safetyTables)["combinations"]>;
export type CrossReactionRow = RowOf<(typeof safetyTables)["cross_reactions"]>;
export type ExcipientRow = RowOf<(typeof safetyTables)["excipients"]>;
export type SafetyRows = RowOf<typeof safetyFields> & {
  /** The full citation of each short name that rows give as their source. */
  readonly sources: Readonly<Record<string, string>>;
  readonly words: RowOf<typeof wordLists>;
} & { readonly [table in SafetyTable]: readonly RowOf<(typeof safetyTables)[table]>[] };

/** The unique key of each table's rows. The order of an interaction's sides does not matter. */
export const keyOfRow: { readonly [table in SafetyTable]: (row: SafetyRows[table][number]) => string } = {
  ingredients: (row) => row.ingredient,
  classes: (row) => row.class,
  interactions: ({ a, b }) => [termOf(a), termOf(b)].sort().join(" + "),
  combinations: (row) => row.combination,
  cross_reactions: ({ a, b }) => [termOf(a), termOf(b)].sort().join(" + "),
  excipients: (row) => row.excipient,
  refill_rules: (row) => [`schedule ${row.drug_schedules.join(", ")}`, ...row.ingredients].join(" "),
  canaries: (row) => row.name,
  condition_words: (row) => row.condition,
  measurements: ({ condition, words, below, above, least }) =>
    [condition, words[0], below ?? "", above ?? "", least].join(" "),
  condition_rules: ({ condition, drugs }) => `${condition} ${drugs.join(", ")}`,
  age_rules: ({ from, below, drugs }) => `${from ?? 0}-${below ?? ""} ${drugs.join(", ")}`,
  sex_rules: ({ sex, from, below, drugs }) => `${sex} ${from ?? 0}-${below ?? ""} ${drugs.join(", ")}`,
  weight_rules: ({ below_kg, drugs }) => `${below_kg} kg ${drugs.join(", ")}`,
  weekly_drugs: ({ drugs, strengths }) => [...drugs, ...strengths].join(", "),
  dose_limits: ({ ingredient, unit, sex, from, below, words }) =>
    [ingredient, unit, sex ?? "", from ?? 0, below ?? "", ...words].join(" "),
};

/** The name of a class or an ingredient, marked to tell them apart. */
export const termOf = (one: Side): string => ("class" in one ? classTerm(one.class) : one.ingredient);
export const classTerm = (id: string): string => `class ${id}`;

function line(): Field<string> {
  const read = (given: unknown) =>
    typeof given === "string" && given.trim() !== "" && given.length <= LONGEST_LINE && !/\p{Cc}/u.test(given)
      ? given.trim()
      : undefined;
  return { read, expected: `give one line of 1 to ${LONGEST_LINE} characters` };
}

/** A lookup key, stored in the normalized form that texts are compared in. */
function plain(): Field<string> {
  const read = (given: unknown) =>
    typeof given === "string" && given !== "" && given.length <= LONGEST_LINE && medicalWords(given) === given
      ? given
      : undefined;
  return { read, expected: "give a name in lower case, its words separated by one space and without punctuation" };
}

function id(): Field<string> {
  const read = (given: unknown) =>
    typeof given === "string" && /^[a-z][a-z0-9_]{1,63}$/.test(given) ? given : undefined;
  return { read, expected: "give a name of lower-case letters, digits and underscores" };
}

function listOf<Value>(item: Field<Value>, least: number, what: string): Field<readonly Value[]> {
  const read = (given: unknown) => {
    if (!Array.isArray(given) || given.length < least) return undefined;
    const items = given.map(item.read);
    return items.includes(undefined) ? undefined : (items as Value[]);
  };
  return { read, expected: `give a list of ${what}${least > 0 ? ", not empty" : ""}` };
}

function lines(): Field<readonly string[]> {
  return listOf(line(), 0, "lines");
}

function names(least: number): Field<readonly string[]> {
  return distinct(listOf(plain(), least, "ingredients, each once and in lower case"));
}

/** As people write them, stored in normalized form. */
function phrases(): Field<readonly string[]> {
  const phrase = {
    read: (given: unknown) => (typeof given === "string" && medicalWords(given)) || undefined,
    expected: "",
  };
  return distinct(listOf(phrase, 0, "words, each once"));
}

function distinct(field: Field<readonly string[]>): Field<readonly string[]> {
  const read = (given: unknown) => {
    const items = field.read(given);
    return items !== undefined && new Set(items).size === items.length ? items : undefined;
  };
  return { ...field, read };
}

function oneOf<const Value extends string>(values: readonly Value[]): Field<Value> {
  return { read: (given) => values.find((value) => value === given), expected: `give one of ${values.join(", ")}` };
}

function orNull<Value>(field: Field<Value>): Field<Value | null> & { missing: null } {
  return { ...field, read: (given) => (given === null ? null : field.read(given)), missing: null };
}

function flag(): Field<boolean> {
  return { read: (given) => (typeof given === "boolean" ? given : undefined), expected: "give true or false" };
}

/** 0.1.0 wrote true for a warning. */
function duplicates(): Field<"major" | "moderate" | null> & { missing: null } {
  const written = oneOf(["major", "moderate"]);
  const read = (given: unknown) =>
    given === true ? ("moderate" as const) : given === false || given === null ? null : written.read(given);
  return { read, expected: `${written.expected}, or null`, missing: null };
}

function exceptions(): Field<readonly RowException[]> {
  const fields = {
    drug: orNull(plain()),
    words: { ...phrases(), missing: [] },
    most_mg: orNull(amount()),
    above_mg: orNull(amount()),
    conditions: { ...phrases(), missing: [] },
    severity: oneOf([...severities, "none"]),
  };
  const read = (given: unknown): RowException | undefined => {
    if (!isSentObject(given) || Object.keys(given).some((name) => !Object.hasOwn(fields, name))) return undefined;
    const row = Object.entries(fields).map(([name, field]) => [
      name,
      Object.hasOwn(given, name) || !("missing" in field) ? field.read(given[name]) : field.missing,
    ]);
    if (row.some(([, value]) => value === undefined)) return undefined;
    const one = Object.fromEntries(row) as RowException;
    // Words and strengths are those of a drug.
    return one.drug === null && (one.words.length > 0 || one.most_mg !== null || one.above_mg !== null)
      ? undefined
      : one;
  };
  return listOf({ read, expected: "" }, 0, `exceptions with ${Object.keys(fields).join(", ")}`);
}

function amount(): Field<number> {
  const read = (given: unknown) => (typeof given === "number" && given > 0 && given <= 100_000 ? given : undefined);
  return { read, expected: "give a number above 0" };
}

/** A rule about the patient: which drugs it concerns, and what it says. */
function patientRule() {
  return {
    drugs: terms(),
    /** Members of a class that the rule does not concern. */
    except: { ...listOf(plain(), 0, "ingredients in lower case"), missing: [] as readonly string[] },
    /** `systemic` skips products that act where they are applied, such as creams and eye drops. */
    route: { ...oneOf(["systemic", "any"]), missing: "systemic" as const },
    severity: oneOf(severities),
    reason: line(),
    advice: line(),
    source: line(),
  };
}

/** In years; null is no limit. */
function ages() {
  return { from: orNull(whole(0, OLDEST)), below: orNull(whole(1, OLDEST)) };
}

/** Ingredients by name, and classes as "class nsaids". */
function terms(): Field<readonly string[]> {
  const term = {
    read: (given: unknown) =>
      typeof given === "string" && /^class [a-z][a-z0-9_]+$/.test(given) ? given : plain().read(given),
    expected: "",
  };
  return distinct(listOf(term, 1, 'ingredients in lower case, or classes as "class name", each once'));
}

function codes(): Field<readonly string[]> {
  const code = {
    read: (given: unknown) => (typeof given === "string" && /^[A-Z]\d[0-9A-Z]{1,5}$/.test(given) ? given : undefined),
    expected: "",
  };
  return distinct(listOf(code, 0, "ICD-10-CM codes without the dot"));
}

function whole(least: number, most: number): Field<number> {
  const read = (given: unknown) =>
    Number.isInteger(given) && (given as number) >= least && (given as number) <= most ? (given as number) : undefined;
  return { read, expected: `give a whole number from ${least} to ${most}` };
}

function share(): Field<number> {
  const read = (given: unknown) => (typeof given === "number" && given > 0 && given <= 1 ? given : undefined);
  return { read, expected: "give a number above 0 and up to 1" };
}

function date(): Field<string> {
  const read = (given: unknown) => (typeof given === "string" && isDate(given) ? given : undefined);
  return { read, expected: "give a date as YYYY-MM-DD" };
}

function schedules(): Field<readonly DrugSchedule[]> {
  return listOf(oneOf(drugSchedules), 1, `schedules (${drugSchedules.join(", ")})`);
}

function side(): Field<Side> {
  const read = (given: unknown): Side | undefined => {
    const [[kind, value] = [], ...rest] = Object.entries((given ?? {}) as Record<string, unknown>);
    if (rest.length > 0 || typeof value !== "string") return undefined;
    if (kind === "class") return { class: value };
    return kind === "ingredient" ? { ingredient: value } : undefined;
  };
  return { read, expected: 'give {"class": …} or {"ingredient": …}' };
}
