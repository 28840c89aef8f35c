import type { IncomingDrug, IncomingPrescriber } from "../../domain/intake/incoming-message.ts";
import { deaPasses, npiPasses } from "../../domain/values/identifiers.ts";
import { officeAddress, officePhone, personName } from "./contact.ts";
import { isOver } from "./dates.ts";
import { type Element, hasCode, id, many, one, text } from "./elements.ts";
import { follow, type Reading } from "./reading.ts";
import type { Resource } from "./resolve.ts";
import { identifierSystems, identifierTypes, isSystem } from "./systems.ts";

/**
 * The prescriber who signed. A PractitionerRole names a workplace; its address and numbers take precedence over the
 * practitioner's own. Null if there is neither a last name nor an NPI.
 */
export function readPrescriber(
  request: Resource,
  schedule: IncomingDrug["schedule"],
  reading: Reading,
): IncomingPrescriber | null {
  const { requester } = request.element;
  const path = "MedicationRequest.requester";
  const signer = follow(reading, request, requester, ["Practitioner", "PractitionerRole"], path);
  const role = signer?.type === "PractitionerRole" ? signer : null;
  const practitioner = role === null ? signer : practitionerOf(role, reading);
  const places = role === null ? [] : placesOf(role, reading);

  const numbers = [
    ...many(practitioner?.element.identifier),
    ...many(practitioner?.element.qualification).flatMap(({ identifier }) => many(identifier)),
    ...many(role?.element.identifier),
    // A reference with only an identifier is enough.
    ...many(one(requester).identifier),
    ...many(one(role?.element.practitioner).identifier),
  ].filter((identifier) => identifier.use !== "old" && !isOver(identifier.period, reading.sent_on));
  const { last_name, first_name } = personName(practitioner?.element.name, reading);
  const npi = best(numbersOf(numbers, "npi"), npiPasses);
  if (last_name === null && npi === null) return null;

  const dea = best(
    numbersOf(numbers, "dea").map((number) => number.toUpperCase().replace(/\s/g, "")),
    deaPasses,
  );
  if (npi === null) reading.warn("npi_missing", path);
  else if (!npiPasses(npi)) reading.warn("npi_checksum", path);
  if (dea !== null && !deaPasses(dea)) reading.warn("dea_checksum", path);
  if (dea === null && schedule !== null && schedule !== "0") reading.warn("dea_missing", path);

  const reached = [role, ...places, practitioner].flatMap((place) =>
    place === null ? [] : [{ telecom: place.element.telecom, path: `${place.type}.telecom` }],
  );
  const phone = officePhone(reached, "phone", reading);
  if (phone === null) reading.warn("prescriber_phone_missing", path);
  return {
    last_name,
    first_name,
    practice: firstOf(places, ({ element }) => text(element.name)),
    npi,
    dea,
    state_license: numbersOf(numbers, "state_license")[0] ?? null,
    phone,
    fax: officePhone(reached, "fax", reading),
    address: firstOf([...places, ...(practitioner === null ? [] : [practitioner])], ({ element }) =>
      officeAddress(element.address, reading),
    ),
  };
}

function practitionerOf(role: Resource, reading: Reading): Resource | null {
  return follow(reading, role, role.element.practitioner, ["Practitioner"], "PractitionerRole.practitioner");
}

/** The location first, because it is more specific. */
function placesOf(role: Resource, reading: Reading): Resource[] {
  const [location] = many(role.element.location);
  return [
    follow(reading, role, location, ["Location"], "PractitionerRole.location"),
    follow(reading, role, role.element.organization, ["Organization"], "PractitionerRole.organization"),
  ].filter((place) => place !== null);
}

function numbersOf(identifiers: Element[], kind: "npi" | "dea" | "state_license"): string[] {
  const systems = kind === "state_license" ? [] : identifierSystems[kind];
  return identifiers
    .filter(({ system, type }) => isSystem(text(system), systems) || hasCode(type, identifierTypes[kind]))
    .flatMap(({ value }) => id(value) ?? []);
}

/** A prescriber can have several. Prefer one that passes its checksum. */
function best(numbers: string[], passes: (number: string) => boolean): string | null {
  return numbers.find(passes) ?? numbers[0] ?? null;
}

function firstOf<Value>(places: Resource[], read: (place: Resource) => Value | null): Value | null {
  for (const place of places) {
    const value = read(place);
    if (value !== null) return value;
  }
  return null;
}
