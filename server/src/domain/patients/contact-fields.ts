import { genders, type PatientUpdate } from "@pestle/contract";
import { isPersonName } from "../values/address/person-name.ts";
import { northAmericanPhone } from "../values/address/phone.ts";
import type { Problem } from "../values/refusals.ts";
import type { SentFields } from "../values/unknown-fields.ts";

/** What a partner may say of a patient, as it is kept. */
export type Contact = Pick<PatientUpdate, "email" | "phone" | "gender"> & { first_name?: string; last_name?: string };

type Read<Value> = (value: unknown) => Value | null;
/** One row a field: its code, and how it is read; null where it is malformed. */
const readers: { [Field in keyof Contact]-?: readonly [Problem["code"], Read<NonNullable<Contact[Field]>>] } = {
  email: [42201, readEmail],
  first_name: [42202, readName],
  last_name: [42203, readName],
  phone: [42204, (value) => (typeof value === "string" ? northAmericanPhone(value.trim()) : null)],
  gender: [42205, (value) => genders.find((known) => known === value) ?? null],
};

/**
 * Reads those of the fields that were sent. What is left out stays left out; `null` is a malformed value, because none
 * of them can be taken back. `prefix` is where they stand in the request: `patient.` makes `patient.email`.
 */
export function readContact<Field extends keyof Contact>(
  sent: SentFields,
  fields: readonly Field[],
  prefix = "",
): { contact: Pick<Contact, Field>; problems: Problem[] } {
  const contact: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const field of fields) {
    if (sent[field] === undefined) continue;
    const [code, read] = readers[field];
    const value = read(sent[field]);
    if (value === null) problems.push({ code, field: `${prefix}${field}` });
    else contact[field] = value;
  }
  return { contact: contact as Pick<Contact, Field>, problems };
}

const LONGEST_EMAIL = 254;
const LONGEST_MAILBOX = 64;
const MAILBOX = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9-]{1,59})$/;

/** An address that any mail server takes (RFC 5321) without quotes and with a host that has a dot. */
function readEmail(value: unknown): string | null {
  if (typeof value !== "string" || value.length > LONGEST_EMAIL) return null;
  const email = value.trim();
  const at = email.lastIndexOf("@");
  const [mailbox, host] = [email.slice(0, Math.max(at, 0)), email.slice(at + 1)];
  return mailbox.length <= LONGEST_MAILBOX && MAILBOX.test(mailbox) && HOST.test(host) ? email : null;
}

function readName(value: unknown): string | null {
  return isPersonName(value) ? value.trim().replaceAll(/\s+/g, " ") : null;
}
