import { ORDER_NUMBER_PATTERN } from "@pestle/contract";
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
};

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
    people: peopleOf(asked),
  };
}

const ISO = /\b(\d{4})-(\d{1,2})-(\d{1,2})\b/;
const AMERICAN = /\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b/;

function peopleOf(asked: string): SearchQuestion["people"] {
  const iso = ISO.exec(asked);
  const [, month, day, year] = iso ? ["", iso[2], iso[3], iso[1]] : (AMERICAN.exec(asked) ?? []);
  if (year === undefined) return [];
  const dob = `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}`;
  if (!isDate(dob)) return [];
  const rest = asked.replace(iso ? ISO : AMERICAN, " ").trim();
  const [last, first, ...more] = rest.split(",").map((part) => part.trim());
  if (more.filter((part) => part !== "").length === 0 && first) return [{ first_name: first, last_name: last!, dob }];
  const words = rest.split(/[ ,]+/).filter((word) => word !== "");
  if (words.length < 2 || words.length > MOST_WORDS) return [];
  // Tries every split and both orders, because the text does not say where the first name ends.
  return words.slice(1).flatMap((_, index) => {
    const [one, other] = [words.slice(0, index + 1).join(" "), words.slice(index + 1).join(" ")];
    return [
      { first_name: one, last_name: other, dob },
      { first_name: other, last_name: one, dob },
    ];
  });
}
