import { type DrugSchedule, drugSchedules } from "@pestle/contract";
import { isDate } from "../values/calendar.ts";
import { medicalWords } from "../values/text.ts";

export const severities = ["contraindicated", "major", "moderate"] as const;
export type Severity = (typeof severities)[number];

/** One side of an interaction: every member of a class, or one ingredient. */
export type Side = { readonly class: string } | { readonly ingredient: string };

/** What a canary watches over. Each must be watched: tables without canaries are not fit. */
export const canaryKinds = [
  "allergy_ingredient",
  "allergy_class",
  "allergy_cross",
  "interaction_class",
  "interaction_ingredient",
  "near_miss",
] as const;

/** A column: how it is read, what is said where it cannot be, and what it is where it is left out. */
export type Field<Value> = {
  read(given: unknown): Value | undefined;
  expected: string;
  missing?: Value;
};

const LONGEST_LINE = 300;
/** Together with the grace they must stay within what is loaded of a patient's past. */
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
    /** How people call it where they name no ingredient. */
    words: { ...phrases(), missing: [] as readonly string[] },
    /** `members`: whoever is allergic to one is taken to be to all; `named`: only where the class itself is named. */
    allergy: orNull(oneOf(["members", "named"])),
    /** Two of it at once are seldom meant. */
    duplicates: { ...flag(), missing: false },
    source: line(),
  },
  interactions: {
    a: side(),
    b: side(),
    severity: oneOf(severities),
    mechanism: line(),
    /** For so long after the last dose it can still happen. */
    washout_days: { ...whole(0, MOST_WASHOUT_DAYS), missing: 0 },
    source: line(),
    /** Since when the row stands in the tables. */
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
  refill_rules: { drug_schedules: schedules(), share: share(), source: line() },
  canaries: {
    name: line(),
    covers: oneOf(canaryKinds),
    items: listOf(names(1), 1, "lists of ingredients"),
    medications: lines(),
    allergies: lines(),
    /** The keys of what must hold the order, all of them and nothing else. */
    expects: lines(),
  },
} as const satisfies Record<string, Record<string, Field<unknown>>>;

/** What stands beside the tables. */
export const safetyFields = {
  version: line(),
  /** Longer than a fill lasts, a patient is taken to have some left. */
  grace_days: whole(0, MOST_GRACE_DAYS),
  /** How long a fill is taken to last that tells no days of supply. */
  unknown_days_supply: whole(1, MOST_DAYS_SUPPLY),
} as const satisfies Record<string, Field<unknown>>;

/** Words of allergies that name no drug. */
export const wordLists = {
  /** "NKDA": somebody was asked, and there is none. */
  no_allergies: phrases(),
  /** Allergies that no drug matters to, such as pollen. */
  no_drug: phrases(),
  /** What is written around the name: reactions, how bad, when. */
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

/** What tells rows of a table apart; the order of an interaction's sides does not. */
export const keyOfRow: { readonly [table in SafetyTable]: (row: SafetyRows[table][number]) => string } = {
  ingredients: (row) => row.ingredient,
  classes: (row) => row.class,
  interactions: ({ a, b }) => [termOf(a), termOf(b)].sort().join(" + "),
  cross_reactions: ({ a, b }) => [termOf(a), termOf(b)].sort().join(" + "),
  excipients: (row) => row.excipient,
  refill_rules: (row) => `schedule ${row.drug_schedules.join(", ")}`,
  canaries: (row) => row.name,
};

/** The name of a class or an ingredient, told apart. */
export const termOf = (one: Side): string => ("class" in one ? classTerm(one.class) : one.ingredient);
export const classTerm = (id: string): string => `class ${id}`;

function line(): Field<string> {
  const read = (given: unknown) =>
    typeof given === "string" && given.trim() !== "" && given.length <= LONGEST_LINE && !/\p{Cc}/u.test(given)
      ? given.trim()
      : undefined;
  return { read, expected: `give one line of 1 to ${LONGEST_LINE} characters` };
}

/** A key that is looked up, so it stands in the form in which texts are compared. */
function plain(): Field<string> {
  const read = (given: unknown) =>
    typeof given === "string" && given !== "" && given.length <= LONGEST_LINE && medicalWords(given) === given
      ? given
      : undefined;
  return { read, expected: "give a name in lower case, its words separated by one blank and without punctuation" };
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

/** As people write them; kept in the form in which they are compared. */
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
