import { type Address, AddressInput } from "@pestle/contract";
import { upperState } from "../field-kinds.ts";
import { readBody, refusalOf } from "../read-body.ts";
import type { Problem } from "../refusals.ts";
import { northAmericanPhone } from "./phone.ts";
import { parseZip, type ZipTable, zipText } from "./zip.ts";

/** An address as sent: any field can be missing or have another type. */
export type AddressFields = { readonly [field in keyof Address]?: unknown };

/** Reported after the other 42200 fields, to keep the order of problems stable. */
const LAST = ["street2", "phone"];

/** Returns every unknown, missing, malformed or contradictory field, in code order. `field` is relative (`zip`). */
export function checkAddressFields(address: AddressFields, zips: ZipTable): Problem[] {
  const { fields, problems } = readBody(AddressInput, address);
  if (fields.zip !== undefined && !isZipOfState(fields.zip, fields.state, zips)) {
    problems.push(refusalOf(AddressInput, "zip", fields.zip));
  }
  return problems.sort((a, b) => a.code - b.code || LAST.indexOf(a.field) - LAST.indexOf(b.field));
}

/** Returns a valid address as stored: trimmed, state in capitals, ZIP with its dash, phone as ten digits. */
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

/** Passes if the state itself is invalid, so that it is reported once. */
function isZipOfState(zip: string, state: string | undefined, zips: ZipTable): boolean {
  const found = zips.stateOf(parseZip(zip)!.zip5);
  return found !== null && (state === undefined || found === state);
}
