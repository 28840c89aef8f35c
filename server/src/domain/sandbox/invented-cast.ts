import { addDays } from "../values/calendar.ts";
import { deaPasses, npiPasses } from "../values/identifiers.ts";

/** Invented people for a simulated prescription. The same number is always the same person. */

export type InventedPerson = {
  first_name: string;
  last_name: string;
  gender: "M" | "F" | "N";
  dob: string;
  email: string;
  phone: string;
  address: { street1: string; street2: null; city: string; state: string; zip: string };
};

/**
 * Consecutive numbers differ in every field, and no name repeats with the same date of birth. `days` moves the date of birth,
 * so that two accounts do not invent the same person.
 */
export function inventedPerson(number: number, days = 0): InventedPerson {
  const [first_name, gender] = pick(FIRST_NAMES, number);
  // Shifts by one with every round of first names, so that all pairs occur before one repeats.
  const last_name = pick(LAST_NAMES, number + Math.floor(number / FIRST_NAMES.length));
  const { area_code, ...place } = pick(PLACES, number);
  return {
    first_name,
    last_name,
    gender,
    dob: addDays(
      [1945 + ((number * 7) % 60), 1 + ((number * 5) % 12), 1 + ((number * 11) % 28)].map(twoDigits).join("-"),
      days,
    ),
    email: `${first_name}.${last_name}.${number}@patients.example`.toLowerCase(),
    // 555-0100 to 555-0199 are reserved for fiction.
    phone: `${area_code}5550${100 + (number % 100)}`,
    // Never one of the sandbox's magic values, which are all lower.
    address: { street1: `${210 + ((number * 37) % 680)} ${pick(STREETS, number)}`, street2: null, ...place },
  };
}

export type InventedPrescriber = {
  first_name: string;
  last_name: string;
  practice: string;
  npi: string;
  dea: string;
  phone: string;
  fax: string;
};

export const inventedPrescriber = (number: number): InventedPrescriber => pick(PRESCRIBERS, number);

const pick = <Entry>(entries: readonly Entry[], number: number): Entry => entries[number % entries.length]!;
const twoDigits = (part: number) => String(part).padStart(2, "0");

const FIRST_NAMES: readonly (readonly [string, "M" | "F" | "N"])[] = [
  ["Ansel", "M"],
  ["Briony", "F"],
  ["Caspian", "M"],
  ["Dorothea", "F"],
  ["Emrys", "N"],
  ["Fiora", "F"],
  ["Gideon", "M"],
  ["Hesper", "F"],
  ["Ignatius", "M"],
  ["Juno", "F"],
  ["Kestrel", "N"],
  ["Leander", "M"],
  ["Marguerite", "F"],
  ["Nicodemus", "M"],
  ["Odette", "F"],
  ["Phineas", "M"],
  ["Quincy", "N"],
  ["Rosalind", "F"],
  ["Silas", "M"],
  ["Thessaly", "F"],
  ["Ulric", "M"],
  ["Vesper", "F"],
  ["Wilhelmina", "F"],
  ["Xavier", "M"],
];

/** A prime number of names, so that they never fall into step with the first names. */
const LAST_NAMES: readonly string[] = [
  "Applegarth",
  "Bellweather",
  "Crabtree",
  "Dunmore",
  "Eastlake",
  "Fairweather",
  "Goldfinch",
  "Hollowell",
  "Inglenook",
  "Jessamy",
  "Kittredge",
  "Larkham",
  "Merriweather",
  "Nightingale",
  "Oakhurst",
  "Pennywhistle",
  "Quickwater",
  "Ravenhill",
  "Summerfield",
  "Thornbury",
  "Underhill",
  "Vandermeer",
  "Winterbourne",
];

const place = (city: string, zip: string, area_code: string) => ({ city, state: "CA", zip, area_code });
/** In California, where the demo has no blocked products. */
const PLACES = [
  place("Sacramento", "95814", "916"),
  place("San Francisco", "94110", "415"),
  place("Los Angeles", "90012", "213"),
  place("San Diego", "92101", "619"),
  place("Fresno", "93721", "559"),
  place("Oakland", "94612", "510"),
  place("San Jose", "95112", "408"),
  place("Long Beach", "90802", "562"),
  place("Bakersfield", "93301", "661"),
  place("Eureka", "95501", "707"),
  place("Redding", "96001", "530"),
  place("Santa Barbara", "93101", "805"),
];

const STREETS = [
  "Alder Ct",
  "Bramble Pl",
  "Cedar Blvd",
  "Fennel Ln",
  "Heron Ave",
  "Juniper St",
  "Larch St",
  "Quail Rd",
  "Sorrel Way",
  "Tern Ave",
  "Yarrow Dr",
];

/** Appends the check digit. */
const checked = (digits: string, passes: (number: string) => boolean) =>
  Array.from("0123456789", (last) => digits + last).find(passes)!;

const prescriber = (index: number, first_name: string, last_name: string, practice: string): InventedPrescriber => ({
  first_name,
  last_name,
  practice,
  npi: checked(`19020304${index}`, npiPasses),
  dea: checked(`F${last_name.charAt(0)}70415${index}`, deaPasses),
  phone: `916555016${index}`,
  fax: `916555017${index}`,
});
const PRESCRIBERS = [
  prescriber(0, "Imogen", "Ashdown", "Ashdown Family Medicine"),
  prescriber(1, "Bertrand", "Okoro", "Delta Breeze Clinic"),
  prescriber(2, "Celeste", "Varga", "Coastline Telehealth"),
  prescriber(3, "Dmitri", "Halloran", "Tule Fog Family Medicine"),
  prescriber(4, "Estelle", "Nakagawa", "Redwood Internal Medicine"),
];
