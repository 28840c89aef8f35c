import type { IncomingAddress } from "../../domain/intake/incoming-message.ts";
import { stateNamed } from "../../domain/values/address/states.ts";
import { isOver } from "./dates.ts";
import { type Element, many, number, text, texts } from "./elements.ts";
import type { Reading } from "./reading.ts";

/** Names, addresses and contact points of people and practices. */

export interface PersonName {
  last_name: string | null;
  first_name: string | null;
  middle_name: string | null;
  suffix: string | null;
}

/** In order of preference; unlisted uses follow in the order sent. `""` is a missing use. */
const NAME_USES = ["official", "usual", "", "temp", "nickname", "maiden", "old", "anonymous"];
const HOME_ADDRESS_USES = ["home", "", "temp", "work", "billing"];
const WORK_ADDRESS_USES = ["work", "", "billing", "home", "temp"];
const PATIENT_PHONE_USES = ["mobile", "home", "", "temp", "work"];
const OFFICE_PHONE_USES = ["work", "", "mobile", "home", "temp"];

/** Does not split a text-only name: which word is the last name would be a guess. */
export function personName(names: unknown, reading: Reading): PersonName {
  const named = many(names).filter((name) => text(name.family) !== null || texts(name.given).length > 0);
  // A former name is better than none, unlike a former address.
  const current = named.filter((name) => !isOver(name.period, reading.sent_on));
  const best = byUse(current.length > 0 ? current : named, NAME_USES)[0] ?? {};
  const [first_name = null, ...middle] = texts(best.given);
  return {
    last_name: text(best.family),
    first_name,
    middle_name: joined(middle, " "),
    suffix: joined(texts(best.suffix), " "),
  };
}

/** US territories have their own country codes but the same mail. */
const AT_HOME = [
  "US",
  "USA",
  "U.S.",
  "U.S.A.",
  "UNITED STATES",
  "UNITED STATES OF AMERICA",
  "PR",
  "GU",
  "VI",
  "AS",
  "MP",
  "UM",
];

export function homeAddress(addresses: unknown, reading: Reading, path: string): IncomingAddress | null {
  const address = postalAddress(addresses, HOME_ADDRESS_USES, reading);
  if (address === null) {
    reading.warn("address_missing", path);
    return null;
  }
  if (!address.street1 || !address.city || !address.state || !address.zip) reading.warn("address_incomplete", path);
  if (address.country !== null && address.country !== "US") {
    reading.warn("country_foreign", `${path}.country`);
    return address;
  }
  if (address.state !== null && !/^[A-Z]{2}$/.test(address.state)) reading.warn("state_unreadable", `${path}.state`);
  if (address.zip !== null && !/^\d{5}(-\d{4})?$/.test(address.zip))
    reading.warn("zip_unreadable", `${path}.postalCode`);
  return address;
}

/** A prescriber's address. Nothing ships there, so gaps cause no warnings. */
export function officeAddress(addresses: unknown, reading: Reading): IncomingAddress | null {
  return postalAddress(addresses, WORK_ADDRESS_USES, reading);
}

function postalAddress(addresses: unknown, uses: string[], reading: Reading): IncomingAddress | null {
  for (const address of byUse(currentOnes(addresses, reading), uses)) {
    const [street1 = null, ...more] = texts(address.line);
    const found = {
      street1,
      street2: joined(more, ", "),
      city: text(address.city),
      state: stateCode(text(address.state)),
      zip: zipCode(text(address.postalCode)),
      country: countryCode(text(address.country)),
    };
    if (Object.values(found).some((part) => part !== null)) return found;
  }
  return null;
}

/** `CA`, `ca`, `US-CA` and `California`. */
function stateCode(state: string | null): string | null {
  if (state === null) return null;
  return /^(us-)?[a-z]{2}$/i.test(state) ? state.slice(-2).toUpperCase() : (stateNamed(state) ?? state);
}

function zipCode(zip: string | null): string | null {
  const parts = zip === null ? null : /^(\d{5})[- ]?(\d{4})?$/.exec(zip);
  if (!parts) return zip;
  return parts[2] === undefined ? (parts[1] ?? null) : `${parts[1]}-${parts[2]}`;
}

function countryCode(country: string | null): string | null {
  if (country === null) return null;
  const upper = country.toUpperCase();
  return AT_HOME.includes(upper) ? "US" : upper;
}

export function patientPhone(telecoms: unknown, reading: Reading, path: string): string | null {
  return phone(contactPoints(telecoms, ["phone", "sms"], PATIENT_PHONE_USES, reading)[0], reading, path);
}

/** The number of the first place that has one. */
export function officePhone(
  places: readonly { telecom: unknown; path: string }[],
  system: "phone" | "fax",
  reading: Reading,
): string | null {
  for (const { telecom, path } of places) {
    const [point] = contactPoints(telecom, [system], OFFICE_PHONE_USES, reading);
    if (point !== undefined) return phone(point, reading, path);
  }
  return null;
}

export function email(telecoms: unknown, reading: Reading, path: string): string | null {
  const [written] = contactPoints(telecoms, ["email"], PATIENT_PHONE_USES, reading);
  if (written === undefined) return null;
  const address = written.replace(/^mailto:/i, "");
  if (address.length <= 254 && /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]{2,}$/.test(address)) return address;
  reading.warn("email_unreadable", path);
  return null;
}

function contactPoints(telecoms: unknown, systems: string[], uses: string[], reading: Reading): string[] {
  const points = currentOnes(telecoms, reading).filter((point) => systems.includes(text(point.system) ?? ""));
  // The sender's ranking takes precedence over ours.
  const ranked = byUse(points, uses).sort((a, b) => rank(a) - rank(b));
  return ranked.flatMap((point) => text(point.value) ?? []);
}

function rank(point: Element): number {
  return number(point.rank) ?? Number.MAX_SAFE_INTEGER;
}

/** Digits without the North American country code and without an extension. */
function phone(written: string | undefined, reading: Reading, path: string): string | null {
  if (written === undefined) return null;
  const digits = written
    .slice(0, 60)
    .replace(/[;,x#].*$/i, "")
    .replace(/\D/g, "")
    .replace(/^1(?=\d{10}$)/, "");
  if (digits.length !== 10) reading.warn("phone_unreadable", path);
  return digits === "" || digits.length > 15 ? null : digits;
}

function currentOnes(list: unknown, reading: Reading): Element[] {
  return many(list).filter((item) => item.use !== "old" && !isOver(item.period, reading.sent_on));
}

/** The sort is stable: equal items keep the order sent. */
function byUse(list: Element[], uses: readonly string[]): Element[] {
  const place = (item: Element) => {
    const at = uses.indexOf(text(item.use) ?? "");
    return at === -1 ? uses.length : at;
  };
  return [...list].sort((a, b) => place(a) - place(b));
}

function joined(parts: string[], between: string): string | null {
  return parts.length === 0 ? null : parts.join(between);
}
