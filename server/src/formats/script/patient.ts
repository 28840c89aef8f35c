import type { IncomingPatient } from "../../domain/intake/incoming-message.ts";
import { readAddress, readEmail, readPhone } from "./contact.ts";
import { calendarDate } from "./dates.ts";
import { LONGEST_ID } from "./envelope.ts";
import { patient as paths, patientIds } from "./paths.ts";
import type { Reading } from "./reading.ts";
import { child, type XmlElement } from "./xml.ts";

/** `whole`: warn about missing fields. */
export function readPatient(reading: Reading, element: XmlElement, whole: boolean): IncomingPatient {
  const person = child(element, "HumanPatient") ?? element;
  const text = (name: keyof typeof paths) => reading.text(person, paths[name], `patient.${name}`);
  const patient = {
    ids: readIds(reading, person),
    last_name: text("last_name"),
    first_name: text("first_name"),
    middle_name: text("middle_name"),
    suffix: text("suffix"),
    dob: readDob(reading, person, whole),
    gender: readGender(reading, person),
    address: readAddress(reading, person, "patient.address"),
    phone: readPhone(reading, person, "phone", "patient.phone"),
    email: readEmail(reading, person, "patient.email"),
    medications: [],
    health_conditions: [],
  };
  if (whole) warnOfGaps(reading, person, patient);
  return patient;
}

function readIds(reading: Reading, person: XmlElement): IncomingPatient["ids"] {
  return patientIds.flatMap(([kind, alternatives]) => {
    const hit = reading.hit(person, alternatives, `patient.ids.${kind}`);
    if (hit === null) return [];
    if (hit.text.length <= LONGEST_ID) return [{ kind, value: hit.text }];
    reading.warn("id_too_long", hit.element);
    return [];
  });
}

function readDob(reading: Reading, person: XmlElement, whole: boolean): string | null {
  const hit = reading.hit(person, paths.dob, "patient.dob");
  if (hit === null) {
    if (whole) reading.warn("dob_missing", person);
    return null;
  }
  const dob = calendarDate(hit.text);
  if (dob === null) reading.warn("dob_unreadable", hit.element);
  return dob;
}

const GENDERS = ["M", "F", "N", "U"] as const;

function readGender(reading: Reading, person: XmlElement): IncomingPatient["gender"] {
  const hit = reading.hit(person, paths.gender, "patient.gender");
  if (hit === null) return null;
  const gender = GENDERS.find((known) => known === hit.text.toUpperCase()) ?? null;
  if (gender === null) reading.warn("gender_unknown", hit.element);
  return gender;
}

function warnOfGaps(reading: Reading, person: XmlElement, { first_name, address }: IncomingPatient): void {
  if (first_name === null) reading.warn("first_name_missing", person);
  if (address === null) reading.warn("address_missing", person);
  else if ([address.street1, address.city, address.state, address.zip].includes(null)) {
    reading.warn("address_incomplete", child(person, "Address"));
  }
}
