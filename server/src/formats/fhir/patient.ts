import type { IncomingPatient } from "../../domain/intake/incoming-message.ts";
import { currentMedications, healthConditions, patientWeight } from "./clinical.ts";
import { email, homeAddress, patientPhone, personName } from "./contact.ts";
import { calendarDate, isOver } from "./dates.ts";
import { hasCode, id, isPresent, many, text } from "./elements.ts";
import type { Reading } from "./reading.ts";
import type { Resource } from "./resolve.ts";
import { foreignPatientIds, genders, isSystem, patientIdTypes } from "./systems.ts";

export function readPatient(patient: Resource, reading: Reading): IncomingPatient {
  const { element } = patient;
  const name = personName(element.name, reading);
  if (name.first_name === null) reading.warn("first_name_missing", "Patient.name.given");
  return {
    ids: patientIds(element.identifier, reading),
    ...name,
    dob: birthDate(element.birthDate, reading),
    gender: gender(element.gender, reading),
    address: homeAddress(element.address, reading, "Patient.address"),
    phone: patientPhone(element.telecom, reading, "Patient.telecom"),
    email: email(element.telecom, reading, "Patient.telecom"),
    medications: currentMedications(patient, reading),
    health_conditions: healthConditions(patient, reading),
    ...patientWeight(patient, reading),
  };
}

/** The standard's extension marks an animal patient. */
export function isAnimal({ element }: Resource): boolean {
  return many(element.extension).some(({ url }) => url === "http://hl7.org/fhir/StructureDefinition/patient-animal");
}

function patientIds(identifiers: unknown, reading: Reading): IncomingPatient["ids"] {
  const own = many(identifiers).filter(
    (identifier) =>
      identifier.use !== "old" &&
      !isOver(identifier.period, reading.sent_on) &&
      !hasCode(identifier.type, foreignPatientIds.types) &&
      !isSystem(text(identifier.system), foreignPatientIds.systems),
  );
  const ids = own.flatMap((identifier) => {
    const value = id(identifier.value);
    if (value === null && text(identifier.value) !== null) reading.warn("id_too_long", "Patient.identifier");
    const place = patientIdTypes.findIndex(({ code }) => hasCode(identifier.type, [code]));
    return value === null ? [] : [{ kind: patientIdTypes[place]?.kind ?? ("other" as const), value, place }];
  });
  const placeOf = ({ place }: { place: number }) => (place === -1 ? patientIdTypes.length : place);
  return ids.sort((a, b) => placeOf(a) - placeOf(b)).map(({ kind, value }) => ({ kind, value }));
}

function birthDate(written: unknown, reading: Reading): string | null {
  const dob = calendarDate(written);
  if (dob === null) reading.warn(isPresent(written) ? "dob_unreadable" : "dob_missing", "Patient.birthDate");
  return dob;
}

function gender(written: unknown, reading: Reading): IncomingPatient["gender"] {
  const word = text(written)?.toLowerCase();
  const known = genders.find(({ code }) => code === word)?.gender ?? null;
  if (known === null && isPresent(written)) reading.warn("gender_unknown", "Patient.gender");
  return known;
}
