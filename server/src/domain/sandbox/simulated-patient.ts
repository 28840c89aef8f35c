import { isUsableId } from "../intake/decide-intake.ts";
import { type Contact, readContact } from "../patients/contact-fields.ts";
import { readPatientSafety } from "../patients/patient-safety.ts";
import { MAX_CITY_CHARACTERS } from "../values/address/city-name.ts";
import { isStateCode } from "../values/address/states.ts";
import { MAX_LINE_CHARACTERS } from "../values/address/street-tokens.ts";
import { parseZip, zipText } from "../values/address/zip.ts";
import { isDate } from "../values/calendar.ts";
import type { Problem } from "../values/refusals.ts";
import { isOneLine } from "../values/text.ts";
import { isSentObject, type SentFields, unknownFields } from "../values/unknown-fields.ts";

/** What a simulation says of the patient. `null` is said too: the e-prescription does not tell it. */
export type SimulatedPatient = {
  patient_id?: string;
  first_name?: string;
  last_name?: string;
  dob?: string;
  gender?: "M" | "F" | "N" | null;
  email?: string | null;
  phone?: string | null;
  address?: SimulatedAddress | null;
  allergies?: string[] | null;
};
export type SimulatedAddress = { [Part in (typeof addressParts)[number]]?: string | null };

const addressParts = ["street1", "street2", "city", "state", "zip"] as const;
const contacts = ["first_name", "last_name", "gender", "email", "phone"] as const;
/** Without these nobody can be told from another, so no e-prescription may leave them open. */
const NEVER_NULL: readonly string[] = ["first_name", "last_name"];
const known = ["patient_id", ...contacts, "dob", "address", "allergies"];
const HERE = "simulation.patient";

/** Whoever is in the world was born after this. */
const FIRST_BIRTH = "1880-01-01";

export function readSimulatedPatient(sent: unknown, today: string): { patient: SimulatedPatient; problems: Problem[] } {
  if (sent === undefined) return { patient: {}, problems: [] };
  if (!isSentObject(sent)) return { patient: {}, problems: [{ code: 42200, field: HERE }] };
  const problems = unknownFields(sent, known, `${HERE}.`);
  const refuse = (field: string) => void problems.push({ code: 42200, field: `${HERE}.${field}` });
  const patient: SimulatedPatient = { ...readContacts(sent, refuse) };
  const { patient_id, dob, address, allergies } = sent;
  const read = { patient_id: readPatientId(patient_id), dob: readBirth(dob, today) };
  for (const field of ["patient_id", "dob"] as const) {
    if (read[field] !== undefined) patient[field] = read[field];
    else if (sent[field] !== undefined) refuse(field);
  }
  if (address !== undefined) patient.address = readAddressParts(address, refuse);
  if (allergies === null) patient.allergies = null;
  else if (allergies !== undefined) {
    const { patient_safety, problems: wrong } = readPatientSafety({ allergies }, HERE);
    problems.push(...wrong);
    patient.allergies = patient_safety.allergies ?? [];
  }
  return { patient, problems };
}

/** One that a patient can have here, whoever gave it. */
export const readPatientId = (value: unknown): string | undefined =>
  typeof value === "string" && isUsableId(value) ? value : undefined;

/** They have codes of their own elsewhere; in a simulation whatever is wrong is 42200. */
function readContacts(sent: SentFields, refuse: (field: string) => void): SimulatedPatient {
  const empty = contacts.filter((field) => sent[field] === null && !NEVER_NULL.includes(field));
  const { contact, problems } = readContact(
    Object.fromEntries(contacts.filter((field) => !empty.includes(field)).map((field) => [field, sent[field]])),
    contacts,
  );
  for (const { field } of problems) refuse(field);
  return { ...(contact as Contact), ...Object.fromEntries(empty.map((field) => [field, null])) };
}

/** A birth date has no zone: of a time its own day is meant. */
function readBirth(value: unknown, today: string): string | undefined {
  const day =
    typeof value === "string" ? /^(\d{4}-\d{2}-\d{2})(T[\d:.]{5,20}(Z|[+-]\d{2}:\d{2})?)?$/.exec(value)?.[1] : "";
  return day && isDate(day) && day >= FIRST_BIRTH && day <= today ? day : undefined;
}

/** Well formed is enough: parts that contradict each other, or lack, are what an order's holds are tried with. */
function readAddressParts(sent: unknown, refuse: (field: string) => void): SimulatedAddress | null {
  if (sent === null) return null;
  if (!isSentObject(sent)) {
    refuse("address");
    return null;
  }
  const address: SimulatedAddress = {};
  for (const { field } of unknownFields(sent, addressParts)) refuse(`address.${field}`);
  for (const part of addressParts) {
    const value = sent[part];
    if (value === undefined) continue;
    const read = value === null || (part === "street2" && value === "") ? null : readPart[part](value);
    if (read === undefined) refuse(`address.${part}`);
    else address[part] = read;
  }
  return address;
}

const line = (longest: number) => (value: unknown) =>
  isOneLine(value, longest) && /[\p{L}\p{N}]/u.test(value) ? value.trim() : undefined;
const readPart: Record<(typeof addressParts)[number], (value: unknown) => string | undefined> = {
  street1: line(MAX_LINE_CHARACTERS),
  street2: line(MAX_LINE_CHARACTERS),
  city: line(MAX_CITY_CHARACTERS),
  state: (value) => {
    const state = typeof value === "string" && value.length <= 10 ? value.trim().toUpperCase() : "";
    return isStateCode(state) ? state : undefined;
  },
  zip: (value) => {
    const zip = typeof value === "string" ? parseZip(value.trim()) : null;
    return zip === null ? undefined : zipText(zip);
  },
};
