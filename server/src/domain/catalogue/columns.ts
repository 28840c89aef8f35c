import { drugSchedules } from "@pestle/contract";
import { isStateCode } from "../values/address/states.ts";
import { isDate } from "../values/calendar.ts";
import { normaliseNdc } from "../values/identifiers.ts";
import { isOneLine } from "../values/text.ts";
import type { CellKind } from "./cells.ts";
import type { CatalogueKind, Value } from "./rows.ts";

/** A column of a file: how it is read, and what is said where it cannot be. */
export type Column = {
  name: string;
  /** How it stands in a cell of a CSV file. */
  cell: CellKind;
  /** The value that is kept; undefined where what was given is none. */
  accept(given: unknown): Value | undefined;
  /** What an empty cell means, and a column that is left out for a new row. Without one it must be filled. */
  empty?: Value;
  /** What was expected: the sentence of the error, and of the documentation. */
  expected: string;
  meaning: string;
};

const LONGEST_TEXT = 255;
const LONGEST_KEY = 64;
const LONGEST_LIST = 100;
const MOST_PACKAGES = 1_000;
const MOST_UNITS = 1_000_000;
/** A shelf, not a parcel. */
const MOST_ON_HAND = 1_000_000_000;
const MOST_CENTS = 10_000_000;
const MOST_ID = 1_000_000_000;
const MOST_TRANSIT_DAYS = 365;
const licenceStatuses = ["active", "suspended", "expired"] as const;

/** The columns of each kind of file. The first is the key: it tells which row is meant. */
export const catalogueColumns: Readonly<Record<CatalogueKind, readonly [Column, ...Column[]]>> = {
  products: [
    text("sku", LONGEST_KEY, "The product's own name in orders."),
    {
      name: "ndc",
      cell: "text",
      accept: asNdc,
      empty: null,
      expected: "Give an NDC of 11 digits, or with its dashes. Spreadsheets drop leading zeros: format it as text.",
      meaning: "The package's National Drug Code.",
    },
    { ...text("gcn", LONGEST_KEY, "The medication: a brand and its generic share it."), empty: null },
    text("name", LONGEST_TEXT, "As partners and patients see it."),
    list("ingredients", "texts", asIngredient, {
      empty: [],
      expected: `Give at most ${LONGEST_LIST} names of 1 to ${LONGEST_TEXT} characters, each once and without semicolon.`,
      meaning: "What allergies and interactions are looked for in.",
    }),
    flag("rx_only", "Whether it needs a prescription."),
    {
      name: "drug_schedule",
      cell: "text",
      // A spreadsheet and JSON may hold it as a number.
      accept: (given) => oneOf(drugSchedules, typeof given === "number" ? String(given) : given),
      expected: `Give one of ${drugSchedules.join(", ")}.`,
      meaning: "0 for what is not a controlled substance.",
    },
    list("package_sizes", "numbers", (given) => units(given, MOST_UNITS), {
      expected: unitsExpected("sizes"),
      meaning: "Units in one package.",
    }),
    list("quantities", "numbers", (given) => whole(given, 1, MOST_PACKAGES), {
      expected: `Give 1 to ${LONGEST_LIST} whole numbers from 1 to ${MOST_PACKAGES}, each once.`,
      meaning: "Packages that one item may ask for.",
    }),
    list("written_quantities", "numbers", (given) => units(given, MOST_UNITS), {
      expected: unitsExpected("quantities"),
      meaning: "Units in one fill, as prescriptions are written.",
    }),
    {
      name: "max_units",
      cell: "number",
      accept: (given) => units(given, MOST_UNITS),
      expected: `Give a number above 0 and up to ${MOST_UNITS}, with at most 3 decimals.`,
      meaning: "An item of more units waits for a pharmacist (exception 72).",
    },
    list("shipping_method_ids", "numbers", (given) => whole(given, 1, MOST_ID), {
      expected: `Give 1 to ${LONGEST_LIST} ids of shipping methods, each once.`,
      meaning: "The methods it may travel by.",
    }),
    list("blocked_states", "texts", asState, {
      empty: [],
      expected: "Give two-letter codes of states, each once.",
      meaning: "Where it may not be sent.",
    }),
    { ...flag("cold_chain", "Whether it must be kept cold on the way."), empty: false },
    cents("price_cents", "Price of one package."),
    { ...flag("back_orders", "Whether it can be ordered while there is not enough on hand."), empty: false },
  ],
  brands: [
    id("The brand's number in orders."),
    text("name", LONGEST_TEXT, "As it stands on the parcel."),
    { ...flag("default", "The one brand of orders that name none."), empty: false },
  ],
  shipping_methods: [
    id("The method's number in orders."),
    text("name", LONGEST_TEXT, "As partners see it."),
    text("carrier", LONGEST_TEXT, "Who carries it."),
    text("service", LONGEST_TEXT, "The carrier's name for it."),
    flag("signature_confirmation", "Whether a signature can be asked for."),
    flag("po_box", "Whether it reaches PO Boxes and general delivery."),
    flag("cold_chain", "Whether it keeps a parcel cold."),
    cents("price_cents", "Price of one parcel."),
    days("transit_days_min", "Days it takes at least."),
    days("transit_days_max", "Days it takes at most."),
    { ...flag("default", "The one method of orders that the pharmacy makes by itself."), empty: false },
  ],
  licences: [
    {
      name: "state",
      cell: "text",
      accept: asState,
      expected: "Give the two-letter code of a state.",
      meaning: "Where the pharmacy may send to.",
    },
    text("number", LONGEST_TEXT, "The licence's number."),
    {
      name: "status",
      cell: "text",
      accept: (given) => oneOf(licenceStatuses, typeof given === "string" ? given.trim() : given),
      expected: `Give one of ${licenceStatuses.join(", ")}.`,
      meaning: "Only an active one counts.",
    },
    day("valid_from", "The first day on which it holds."),
    day("valid_to", "The last day on which it holds."),
  ],
  stock: [
    text("sku", LONGEST_KEY, "A product of the account."),
    {
      name: "on_hand_units",
      cell: "number",
      accept: (given) => (given === 0 ? 0 : units(given, MOST_ON_HAND)),
      expected: `Give a number from 0 to ${MOST_ON_HAND}, with at most 3 decimals.`,
      meaning: "Units that were counted.",
    },
  ],
};

function text(name: string, longest: number, meaning: string): Column {
  return {
    name,
    cell: "text",
    accept: (given) => line(given, longest),
    expected: `Give one line of 1 to ${longest} characters.`,
    meaning,
  };
}

function flag(name: string, meaning: string): Column {
  return {
    name,
    cell: "boolean",
    accept: (given) => (typeof given === "boolean" ? given : undefined),
    expected: "Give true or false.",
    meaning,
  };
}

function list<Item extends string | number>(
  name: string,
  cell: "texts" | "numbers",
  item: (given: unknown) => Item | undefined,
  rest: Pick<Column, "expected" | "meaning"> & { empty?: [] },
): Column {
  const accept = (given: unknown): Value | undefined => {
    if (!Array.isArray(given) || given.length > LONGEST_LIST) return undefined;
    if (given.length === 0) return rest.empty;
    const items = given.map(item).filter((one) => one !== undefined);
    return items.length === given.length && new Set(items).size === items.length
      ? (items as string[] | number[])
      : undefined;
  };
  return { name, cell, accept, ...rest };
}

function wholeNumber(name: string, least: number, most: number, meaning: string): Column {
  return {
    name,
    cell: "number",
    accept: (given) => whole(given, least, most),
    expected: `Give a whole number from ${least} to ${most}.`,
    meaning,
  };
}

function id(meaning: string): Column {
  return wholeNumber("id", 1, MOST_ID, meaning);
}

function cents(name: string, meaning: string): Column {
  return wholeNumber(name, 0, MOST_CENTS, meaning);
}

function days(name: string, meaning: string): Column {
  return wholeNumber(name, 0, MOST_TRANSIT_DAYS, meaning);
}

function day(name: string, meaning: string): Column {
  return {
    name,
    cell: "text",
    accept: (given) => (typeof given === "string" && isDate(given.trim()) ? given.trim() : undefined),
    expected: "Give a date as YYYY-MM-DD.",
    meaning,
  };
}

function unitsExpected(what: string): string {
  return `Give 1 to ${LONGEST_LIST} ${what} above 0 and up to ${MOST_UNITS}, with at most 3 decimals, each once.`;
}

function line(given: unknown, longest: number): string | undefined {
  if (typeof given !== "string") return undefined;
  const trimmed = given.trim();
  return isOneLine(trimmed, longest) ? trimmed : undefined;
}

/** A list stands in one cell, so what separates its items cannot be part of one. */
function asIngredient(given: unknown): string | undefined {
  const name = line(given, LONGEST_TEXT);
  return name?.includes(";") ? undefined : name;
}

function asState(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  const state = given.trim().toUpperCase();
  return isStateCode(state) ? state : undefined;
}

/** Ten bare digits leave open where the zero belongs: that is for a person to say. */
function asNdc(given: unknown): string | undefined {
  const ndcs = typeof given === "string" ? normaliseNdc(given) : [];
  return ndcs.length === 1 ? ndcs[0] : undefined;
}

function oneOf<Name extends string>(names: readonly Name[], given: unknown): Name | undefined {
  return names.find((name) => name === given);
}

function whole(given: unknown, least: number, most: number): number | undefined {
  return Number.isSafeInteger(given) && (given as number) >= least && (given as number) <= most
    ? (given as number)
    : undefined;
}

function units(given: unknown, most: number): number | undefined {
  if (typeof given !== "number" || !(given > 0 && given <= most)) return undefined;
  return Number(given.toFixed(3)) === given ? given : undefined;
}
