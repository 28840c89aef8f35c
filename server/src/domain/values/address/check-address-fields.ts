import type { Address } from "@pestle/contract";
import type { Problem } from "../refusals.ts";
import { MAX_CITY_CHARACTERS } from "./city-name.ts";
import { isPersonName } from "./person-name.ts";
import { northAmericanPhone } from "./phone.ts";
import { isStateCode } from "./states.ts";
import { MAX_LINE_CHARACTERS } from "./street-tokens.ts";
import { parseZip, type ZipTable, zipText } from "./zip.ts";

/** An address as somebody sent it: any field may be missing or of another type. */
export type AddressFields = { readonly [field in keyof Address]?: unknown };

type Check = (value: unknown, address: AddressFields, zips: ZipTable) => boolean;

/** One row a field: its code, and when it is right. Fields without a code of their own get 42200. */
const checks: readonly (readonly [field: keyof Address, code: Problem["code"], right: Check])[] = [
  ["first_name", 42221, isPersonName],
  ["last_name", 42222, isPersonName],
  ["street1", 42223, (value) => isLine(value, MAX_LINE_CHARACTERS)],
  ["street2", 42200, (value) => isLeftOut(value) || isLine(value, MAX_LINE_CHARACTERS)],
  ["city", 42225, (value) => isLine(value, MAX_CITY_CHARACTERS) && /\p{L}/u.test(value)],
  ["state", 42226, (value) => typeof value === "string" && isStateCode(upperState(value))],
  ["zip", 42227, isZipOfState],
  ["phone", 42200, (value) => isLeftOut(value) || (typeof value === "string" && northAmericanPhone(value) !== null)],
];

/** Every field that is missing, malformed or contradicts another, in code order; `field` is relative (`zip`). */
export function checkAddressFields(address: AddressFields, zips: ZipTable): Problem[] {
  return checks
    .filter(([field, , right]) => !right(address[field], address, zips))
    .map(([field, code]) => ({ code, field }))
    .sort((a, b) => a.code - b.code);
}

/** An address whose fields passed, as it is kept: trimmed, state in capitals, ZIP with its dash, phone as ten digits. */
export function tidyAddress(address: AddressFields): Address {
  const text = (value: unknown) => (typeof value === "string" ? value.trim().replaceAll(/\s+/g, " ") : "");
  const zip = parseZip(text(address.zip));
  return {
    first_name: text(address.first_name),
    last_name: text(address.last_name),
    street1: text(address.street1),
    street2: text(address.street2) || null,
    city: text(address.city),
    state: upperState(text(address.state)),
    zip: zip === null ? text(address.zip) : zipText(zip),
    phone: northAmericanPhone(text(address.phone)),
  };
}

function isZipOfState(value: unknown, { state }: AddressFields, zips: ZipTable): boolean {
  const zip = typeof value === "string" ? parseZip(value.trim()) : null;
  const found = zip === null ? null : zips.stateOf(zip.zip5);
  if (found === null) return false;
  // A state that is wrong itself is one problem, not two.
  const given = typeof state === "string" ? upperState(state) : "";
  return !isStateCode(given) || found === given;
}

const upperState = (state: string): string => (state.length <= 10 ? state.trim().toUpperCase() : state);

const isLeftOut = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.length <= 100 && value.trim() === "");

/** Control characters, ends of lines, symbols and pictures, and what programs write between words. */
const NOT_ON_A_LABEL = /[\p{C}\p{Zl}\p{Zp};{}[\]\\]|(?!\+)\p{S}/u;

/** Text on one line with a letter or a digit in it, and nothing that has no place on a label. */
function isLine(value: unknown, most: number): value is string {
  return (
    typeof value === "string" && value.length <= most && /[\p{L}\p{N}]/u.test(value) && !NOT_ON_A_LABEL.test(value)
  );
}
