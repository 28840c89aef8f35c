import { type DrugSchedule, drugSchedules } from "@pestle/contract";
import { isDate } from "../values/calendar.ts";
import { medicalWords } from "../values/text.ts";

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

/** A column: how to read it, the error message if that fails, and the default if it is omitted. */
export type Field<Value> = {
  read(given: unknown): Value | undefined;
  expected: string;
  missing?: Value;
};

const LONGEST_LINE = 300;
/** Together with the grace period this must stay within the loaded history of a patient. */
const MOST_WASHOUT_DAYS = 50;
const MOST_GRACE_DAYS = 10;
const MOST_DAYS_SUPPLY = 365;

/** The columns of each table of the safety data. */
export const safetyTables = {
  ingredients: { ingredient: plain(), aliases: phrases(), source: line() },
  classes: {
    class: id(),
    name: line(),
    ingredients: names(1),
    /** Names that people use for the class instead of an ingredient. */
    words: { ...phrases(), missing: [] as readonly string[] },
    /** `members`: an allergy to one member counts for all. `named`: only if the class itself is named. */
    allergy: orNull(oneOf(["members", "named"])),
    /** Taking two at once is rarely intended. */
    duplicates: { ...flag(), missing: false },
    source: line(),
  },
  interactions: {
    a: side(),
    b: side(),
    severity: oneOf(severities),
    mechanism: line(),
    /** How long after the last dose it can still happen. */
    washout_days: { ...whole(0, MOST_WASHOUT_DAYS), missing: 0 },
    source: line(),
    /** When the row was added to the tables. */
    since: date(),
  },
  cross_reactions: { a: side(), b: side(), severity: oneOf(["major", "moderate"]), note: line(), source: line() },
  excipients: {
    excipient: plain(),
    words: phrases(),
    /** Drugs whose usual products contain it. */
    ingredients: { ...names(0), missing: [] as readonly string[] },
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
    covers: oneOf(canaryKinds),
    items: listOf(names(1), 1, "lists of ingredients"),
    medications: lines(),
    allergies: lines(),
    /** The keys of everything that must hold the order, and nothing else. */
    expects: lines(),
  },
} as const satisfies Record<string, Record<string, Field<unknown>>>;

/** Fields besides the tables. */
export const safetyFields = {
  version: line(),
  /** Days that a patient is assumed to have some left beyond the supply. */
  grace_days: whole(0, MOST_GRACE_DAYS),
  /** Assumed duration of a fill without days of supply. */
  unknown_days_supply: whole(1, MOST_DAYS_SUPPLY),
} as const satisfies Record<string, Field<unknown>>;

/** Words in allergy entries that do not name a drug. */
export const wordLists = {
  /** "NKDA": the patient was asked and has none. */
  no_allergies: phrases(),
  /** Allergies that do not concern drugs, such as pollen. */
  no_drug: phrases(),
  /** Words around the name: reaction, severity, time. */
  description: phrases(),
} as const satisfies Record<string, Field<readonly string[]>>;

type ValueOf<Given> = Given extends Field<infer Value> ? Value : never;
type RowOf<Columns> = { readonly [name in keyof Columns]: ValueOf<Columns[name]> };
export type SafetyTable = keyof typeof safetyTables;
export type ClassRow = RowOf<(typeof safetyTables)["classes"]>;
export type InteractionRow = RowOf<(typeof safetyTables)["interactions"]>;
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
  cross_reactions: ({ a, b }) => [termOf(a), termOf(b)].sort().join(" + "),
  excipients: (row) => row.excipient,
  refill_rules: (row) => [`schedule ${row.drug_schedules.join(", ")}`, ...row.ingredients].join(" "),
  canaries: (row) => row.name,
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
