import type { IncomingAddress } from "../../domain/intake/incoming-message.ts";
import { code, contact as contactPaths, address as paths } from "./paths.ts";
import type { Hit, Reading } from "./reading.ts";
import { child, children, type XmlElement } from "./xml.ts";

/** A person's address, with state and ZIP code normalized if possible. */
export function readAddress(reading: Reading, person: XmlElement, field: string): IncomingAddress | null {
  const element = child(person, "Address");
  if (element === null) return null;
  const part = (name: keyof typeof paths) => reading.hit(element, paths[name], `${field}.${name}`);
  const country = countryOf(reading, part("country"));
  const abroad = country !== null && country !== "US";
  return {
    street1: part("street1")?.text ?? null,
    street2: part("street2")?.text ?? null,
    city: part("city")?.text ?? null,
    state: stateOf(reading, part("state"), abroad),
    zip: zipOf(reading, part("zip"), abroad),
    country,
  };
}

/** Digits only: ten for a North American number. Drops an extension after `x`. */
export function readPhone(reading: Reading, person: XmlElement, kind: "phone" | "fax", field: string): string | null {
  const hit = contactOf(reading, person, kind, field);
  if (hit === null) return null;
  // Cut to the standard's length first, to bound the cost of the regular expressions.
  const digits = hit.text
    .slice(0, 80)
    .replace(/\s*(x|ext).*$/is, "")
    .replace(/\D/g, "")
    .replace(/^1(?=\d{10}$)/, "");
  if (digits.length !== 10) reading.warn("phone_unreadable", hit.element);
  return digits === "" || digits.length > 15 ? null : digits;
}

export function readEmail(reading: Reading, person: XmlElement, field: string): string | null {
  const hit = contactOf(reading, person, "email", field);
  if (hit === null) return null;
  if (hit.text.length <= 254 && /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]{2,}$/.test(hit.text)) return hit.text;
  reading.warn("email_unreadable", hit.element);
  return null;
}

/** 2017071 has one element per kind; 10.6 has one element with a qualifier. */
function contactOf(reading: Reading, person: XmlElement, kind: keyof typeof contactPaths, field: string): Hit | null {
  const numbers = child(person, "CommunicationNumbers");
  if (numbers === null) return null;
  const { elements, qualifiers } = contactPaths[kind];
  for (const name of elements) {
    const found = child(numbers, name);
    const number = found === null ? null : (child(found, "Number") ?? found);
    if (number !== null && reading.own(number, field) !== null) return bare(number);
  }
  const communications = children(numbers, "Communication");
  for (const qualifier of qualifiers) {
    const found = communications.find((candidate) => qualifierOf(reading, candidate) === qualifier);
    const number = found === undefined ? null : (child(found, "Number") ?? found);
    if (number !== null && reading.own(number, field) !== null) return bare(number);
  }
  return null;
}

const bare = (element: XmlElement): Hit => ({ text: element.text, element, attribute: null });

function qualifierOf(reading: Reading, communication: XmlElement): string | undefined {
  return reading.text(communication, code.qualifier, "communication.qualifier")?.toUpperCase();
}

/** US territories have their own country codes but the same mail. */
const AT_HOME = new Set(["US", "USA", "PR", "GU", "VI", "AS", "MP", "UM"]);

function countryOf(reading: Reading, hit: Hit | null): string | null {
  if (hit === null) return null;
  const country = hit.text.toUpperCase();
  if (AT_HOME.has(country)) return "US";
  reading.warn("country_foreign", hit.element);
  return country;
}

function stateOf(reading: Reading, hit: Hit | null, abroad: boolean): string | null {
  if (hit === null) return null;
  if (/^[a-z]{2}$/i.test(hit.text)) return hit.text.toUpperCase();
  if (!abroad) reading.warn("state_unreadable", hit.element);
  return hit.text;
}

function zipOf(reading: Reading, hit: Hit | null, abroad: boolean): string | null {
  if (hit === null) return null;
  const match = /^(\d{5})[-\s]?(\d{4})?$/.exec(hit.text);
  if (match !== null) return match[2] === undefined ? (match[1] as string) : `${match[1]}-${match[2]}`;
  if (!abroad) reading.warn("zip_unreadable", hit.element);
  return hit.text;
}
