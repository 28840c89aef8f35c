import { ORDER_NUMBER_PATTERN } from "@pestle/contract";
import { plainName } from "../patients/patient-record.ts";
import { isDate } from "../values/calendar.ts";

/** The possible meanings of a search text. The search tries each part that is present. */
export type SearchQuestion = {
  order_number: string | null;
  /** The beginning of an order number. */
  order_prefix: string | null;
  tracking_no: string | null;
  prescription_id: number | null;
  reference: string;
  /** As staff write lots: as they typed it, and in upper case. */
  lots: string[];
  phone: string | null;
  email: string | null;
  /** First and last names to try, with a date of birth; empty without a date. */
  people: { first_name: string; last_name: string; dob: string }[];
  /** A date of birth and no name. */
  dob: string | null;
  /** The last name alone, with or without a date of birth, or the first and last name without one. */
  named: NamedPerson[];
  product: ProductQuestion | null;
};
export type NamedPerson = { last_name: string; first_name: string | null; dob: string | null };
/** A product by its SKU or NDC, or by the beginning of its name in lower case. */
export type ProductQuestion = { skus: string[]; ndc: string | null; name: string };

const LONGEST = 200;
const MOST_WORDS = 8;
/** Fewer characters match too many orders. */
const SHORTEST_PREFIX = 4;
const ORDER_NUMBER = new RegExp(ORDER_NUMBER_PATTERN);
/** Filled up to an order number, it must be one. */
const isPrefix = (text: string) =>
  text.length >= SHORTEST_PREFIX && text.length < 10 && ORDER_NUMBER.test(text.padEnd(10, "0"));
/** A US phone number as people write it, with or without the country code. */
const PHONE = /^(?:\+?1[ .-]?)?(?:\(\d{3}\)|\d{3})[ .-]?\d{3}[ .-]?\d{4}$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const LOT = /^[\w./-]{3,40}$/;
/** What people have in their names. */
const NAME = /^[\p{L}\p{M}][\p{L}\p{M}'’.\- ]{0,79}$/u;
const SHORTEST_NAME = 2;
/** More words are no name of a person. */
const MOST_NAMES = 5;
const SHORTEST_PRODUCT = 3;
const NDC = /^\d{5}-?\d{4}-?\d{2}$/;

/** Null: the text cannot match anything. */
export function readQuestion(text: string): SearchQuestion | null {
  const asked = text.trim().replaceAll(/\s+/g, " ");
  if (asked === "" || asked.length > LONGEST) return null;
  const upper = asked.toUpperCase();
  // Carriers print tracking numbers with spaces.
  const packed = upper.replaceAll(/[ -]/g, "");
  return {
    order_number: ORDER_NUMBER.test(upper) ? upper : null,
    order_prefix: isPrefix(upper) ? upper : null,
    tracking_no: /^[A-Z0-9]{6,40}$/.test(packed) ? packed : null,
    prescription_id: /^[1-9]\d{0,11}$/.test(asked) ? Number(asked) : null,
    reference: asked,
    lots: LOT.test(asked) ? [...new Set([asked, upper])] : [],
    phone: PHONE.test(asked) ? asked : null,
    email: EMAIL.test(asked) ? asked : null,
    ...personOf(asked),
    product: productOf(asked),
  };
}

function productOf(asked: string): ProductQuestion | null {
  if (asked.length < SHORTEST_PRODUCT) return null;
  return {
    skus: [...new Set([asked, asked.toLowerCase(), asked.toUpperCase()])],
    ndc: NDC.test(asked) ? asked.replaceAll("-", "") : null,
    name: asked.toLowerCase(),
  };
}

const ISO = /\b(\d{4})-(\d{1,2})-(\d{1,2})\b/;
const AMERICAN = /\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b/;

function personOf(asked: string): Pick<SearchQuestion, "people" | "dob" | "named"> {
  const iso = ISO.exec(asked);
  const [, month, day, year] = iso ? ["", iso[2], iso[3], iso[1]] : (AMERICAN.exec(asked) ?? []);
  if (year === undefined) return { people: [], dob: null, named: namedBy(asked, null) };
  const dob = `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}`;
  if (!isDate(dob)) return { people: [], dob: null, named: [] };
  const rest = asked.replace(iso ? ISO : AMERICAN, " ").trim();
  const people = namesIn(rest, MOST_WORDS).map((names) => ({ ...names, dob }));
  return { people, dob: rest.replaceAll(",", "").trim() === "" ? dob : null, named: namedBy(rest, dob) };
}

/** Without a date of birth, also a first and a last name. With one, the index of names with dates finds those. */
function namedBy(text: string, dob: string | null): NamedPerson[] {
  const lasts = isName(text) ? [{ last_name: text, first_name: null }] : [];
  const both = dob === null ? namesIn(text, MOST_NAMES) : [];
  return [...lasts, ...both.filter((one) => isName(one.last_name) && isName(one.first_name))].map((one) => ({
    ...one,
    dob,
  }));
}

const isName = (text: string) => NAME.test(text) && plainName(text).length >= SHORTEST_NAME;

/** The ways to read a text as a first and a last name. */
function namesIn(text: string, most: number): { first_name: string; last_name: string }[] {
  const [last, first, ...more] = text.split(",").map((part) => part.trim());
  if (more.filter((part) => part !== "").length === 0 && first) return [{ first_name: first, last_name: last! }];
  const words = text.split(/[ ,]+/).filter((word) => word !== "");
  if (words.length < 2 || words.length > most) return [];
  // Tries every split and both orders, because the text does not say where the first name ends.
  return words.slice(1).flatMap((_, index) => {
    const [one, other] = [words.slice(0, index + 1).join(" "), words.slice(index + 1).join(" ")];
    return [
      { first_name: one, last_name: other },
      { first_name: other, last_name: one },
    ];
  });
}

/** Whether a patient fits one reading of the question. A first name may be shortened. */
export const isAsked = (
  named: readonly NamedPerson[],
  record: { first_name: string; last_name: string; dob: string },
): boolean =>
  named.some(
    ({ last_name, first_name, dob }) =>
      plainName(last_name) === plainName(record.last_name) &&
      (first_name === null || plainName(record.first_name).startsWith(plainName(first_name))) &&
      (dob === null || dob === record.dob),
  );
