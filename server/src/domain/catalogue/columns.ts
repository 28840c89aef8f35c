import { drugSchedules } from "@pestle/contract";
import { isStateCode } from "../values/address/states.ts";
import { isDate } from "../values/calendar.ts";
import { normaliseNdc } from "../values/identifiers.ts";
import { isOneLine } from "../values/text.ts";
import type { CellKind } from "./cells.ts";
import type { CatalogueKind, Value } from "./rows.ts";

/** A column of a file: how to read it, and the error message if that fails. */
export type Column = {
  name: string;
  /** How a CSV cell holds the value. */
  cell: CellKind;
  /** Returns the value to store, or undefined if the input is invalid. */
  accept(given: unknown): Value | undefined;
  /** The value of an empty cell, and of an omitted column in a new row. Without it the column is required. */
  empty?: Value;
  /** The expected value, for the error message and the documentation. */
  expected: string;
  meaning: string;
};

const LONGEST_TEXT = 255;
const LONGEST_KEY = 64;
const LONGEST_LIST = 100;
const MOST_PACKAGES = 1_000;
const MOST_UNITS = 1_000_000;
/** The limit for a shelf, which is higher than for a parcel. */
const MOST_ON_HAND = 1_000_000_000;
const MOST_CENTS = 10_000_000;
const MOST_ID = 1_000_000_000;
const MOST_TRANSIT_DAYS = 365;
const licenceStatuses = ["active", "suspended", "expired"] as const;

/** The columns of each kind of file. The first is the key, which identifies the row. */
export const catalogueColumns: Readonly<Record<CatalogueKind, readonly [Column, ...Column[]]>> = {
  products: [
    text("sku", LONGEST_KEY, "Identifies the product in orders."),
    {
      name: "ndc",
      cell: "text",
      accept: asNdc,
      empty: null,
      expected:
        "Enter an NDC of 11 digits, or with dashes. Spreadsheets drop leading zeros: format the column as text.",
      meaning: "The package's National Drug Code.",
    },
    { ...text("gcn", LONGEST_KEY, "Identifies the medication: a brand and its generic share it."), empty: null },
    text("name", LONGEST_TEXT, "As partners and patients see it."),
    list("ingredients", "texts", asIngredient, {
      empty: [],
      expected: `Enter at most ${LONGEST_LIST} names of 1 to ${LONGEST_TEXT} characters, each once and without a semicolon.`,
      meaning: "The ingredients for the allergy and interaction checks.",
    }),
    flag("rx_only", "Whether it needs a prescription."),
    {
      name: "drug_schedule",
      cell: "text",
      // Spreadsheets and JSON can hold it as a number.
      accept: (given) => oneOf(drugSchedules, typeof given === "number" ? String(given) : given),
      expected: `Enter one of ${drugSchedules.join(", ")}.`,
      meaning: "0 if it is not a controlled substance.",
    },
    list("package_sizes", "numbers", (given) => units(given, MOST_UNITS), {
      expected: unitsExpected("sizes"),
      meaning: "Units in one package.",
    }),
    list("quantities", "numbers", (given) => whole(given, 1, MOST_PACKAGES), {
      expected: `Enter 1 to ${LONGEST_LIST} whole numbers from 1 to ${MOST_PACKAGES}, each once.`,
      meaning: "Packages that one item can order.",
    }),
    list("written_quantities", "numbers", (given) => units(given, MOST_UNITS), {
      expected: unitsExpected("quantities"),
      meaning: "Units in one fill, as prescribed.",
    }),
    {
      name: "max_units",
      cell: "number",
      accept: (given) => units(given, MOST_UNITS),
      expected: `Enter a number above 0 and up to ${MOST_UNITS}, with at most 3 decimals.`,
      meaning: "An item with more units is held for verification (exception 72).",
    },
    list("shipping_method_ids", "numbers", (given) => whole(given, 1, MOST_ID), {
      expected: `Enter 1 to ${LONGEST_LIST} ids of shipping methods, each once.`,
      meaning: "The allowed shipping methods.",
    }),
    list("blocked_states", "texts", asState, {
      empty: [],
      expected: "Enter two-letter state codes, each once.",
      meaning: "States where it cannot be shipped.",
    }),
    { ...flag("cold_chain", "Whether it must stay cold in transit."), empty: false },
    cents("price_cents", "Price of one package."),
    { ...flag("back_orders", "Whether it can be ordered while stock is too low."), empty: false },
    { ...flag("is_drug", "false for a pouch or an organizer, which no safety check concerns."), empty: true },
  ],
  brands: [
    id("Identifies the brand in orders."),
    text("name", LONGEST_TEXT, "As printed on the parcel."),
    { ...flag("default", "The brand of orders that name none. Exactly one row."), empty: false },
  ],
  shipping_methods: [
    id("Identifies the method in orders."),
    text("name", LONGEST_TEXT, "As partners see it."),
    text("carrier", LONGEST_TEXT, "The carrier."),
    text("service", LONGEST_TEXT, "The carrier's name for the service."),
    flag("signature_confirmation", "Whether orders can request a signature."),
    flag("po_box", "Whether it delivers to PO Boxes and General Delivery."),
    flag("cold_chain", "Whether it keeps a parcel cold."),
    cents("price_cents", "Price of one parcel."),
    days("transit_days_min", "Minimum transit days."),
    days("transit_days_max", "Maximum transit days."),
    {
      ...flag("default", "The method of orders that the pharmacy creates automatically. Exactly one row."),
      empty: false,
    },
  ],
  licences: [
    {
      name: "state",
      cell: "text",
      accept: asState,
      expected: "Enter a two-letter state code.",
      meaning: "A state where the pharmacy can ship.",
    },
    text("number", LONGEST_TEXT, "The license number."),
    {
      name: "status",
      cell: "text",
      accept: (given) => oneOf(licenceStatuses, typeof given === "string" ? given.trim() : given),
      expected: `Enter one of ${licenceStatuses.join(", ")}.`,
      meaning: "Only an active license counts.",
    },
    day("valid_from", "The first day of its validity."),
    day("valid_to", "The last day of its validity."),
  ],
  stock: [
    text("sku", LONGEST_KEY, "A product of the account."),
    {
      name: "on_hand_units",
      cell: "number",
      accept: (given) => (given === 0 ? 0 : units(given, MOST_ON_HAND)),
      expected: `Enter a number from 0 to ${MOST_ON_HAND}, with at most 3 decimals.`,
      meaning: "The counted units.",
    },
  ],
};

function text(name: string, longest: number, meaning: string): Column {
  return {
    name,
    cell: "text",
    accept: (given) => line(given, longest),
    expected: `Enter one line of 1 to ${longest} characters.`,
    meaning,
  };
}

function flag(name: string, meaning: string): Column {
  return {
    name,
    cell: "boolean",
    accept: (given) => (typeof given === "boolean" ? given : undefined),
    expected: "Enter true or false.",
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
    expected: `Enter a whole number from ${least} to ${most}.`,
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
    expected: "Enter a date as YYYY-MM-DD.",
    meaning,
  };
}

function unitsExpected(what: string): string {
  return `Enter 1 to ${LONGEST_LIST} ${what} above 0 and up to ${MOST_UNITS}, with at most 3 decimals, each once.`;
}

function line(given: unknown, longest: number): string | undefined {
  if (typeof given !== "string") return undefined;
  const trimmed = given.trim();
  return isOneLine(trimmed, longest) ? trimmed : undefined;
}

/** A list is one cell, so an item cannot contain the separator. */
function asIngredient(given: unknown): string | undefined {
  const name = line(given, LONGEST_TEXT);
  return name?.includes(";") ? undefined : name;
}

function asState(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  const state = given.trim().toUpperCase();
  return isStateCode(state) ? state : undefined;
}

/** Rejects ten bare digits: a person must decide where the zero belongs. */
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
