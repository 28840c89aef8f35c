import type { IncomingPrescriber } from "../../domain/intake/incoming-message.ts";
import { deaPasses, npiPasses } from "../../domain/values/identifiers.ts";
import { readAddress, readPhone } from "./contact.ts";
import { prescriber as paths } from "./paths.ts";
import type { Reading } from "./reading.ts";
import { child, type XmlElement } from "./xml.ts";

/** Keeps numbers that fail their checksum as sent, with a warning, for a pharmacist to decide. */
export function readPrescriber(reading: Reading, element: XmlElement, whole: boolean): IncomingPrescriber {
  const person = child(element, "NonVeterinarian") ?? child(element, "Veterinarian") ?? element;
  const text = (name: keyof typeof paths) => reading.text(person, paths[name], `prescriber.${name}`);
  const phone = readPhone(reading, person, "phone", "prescriber.phone");
  if (whole && phone === null) reading.warn("prescriber_phone_missing", person);
  return {
    last_name: text("last_name"),
    first_name: text("first_name"),
    practice: text("practice"),
    npi: readNpi(reading, person, whole),
    dea: readDea(reading, person),
    state_license: text("state_license"),
    phone,
    fax: readPhone(reading, person, "fax", "prescriber.fax"),
    address: readAddress(reading, person, "prescriber.address"),
  };
}

/** Placeholders some systems send instead of a number. */
const NO_NUMBER = /^(none|n\/a|na|unknown|0+)$/i;

function readNpi(reading: Reading, person: XmlElement, whole: boolean): string | null {
  const hit = reading.hit(person, paths.npi, "prescriber.npi");
  if (hit === null || NO_NUMBER.test(hit.text)) {
    if (whole) reading.warn("npi_missing", person);
    return null;
  }
  if (!npiPasses(hit.text)) reading.warn("npi_checksum", hit.element);
  return hit.text;
}

function readDea(reading: Reading, person: XmlElement): string | null {
  const hit = reading.hit(person, paths.dea, "prescriber.dea");
  if (hit === null || NO_NUMBER.test(hit.text)) return null;
  const dea = hit.text.toUpperCase();
  if (!deaPasses(dea)) reading.warn("dea_checksum", hit.element);
  return dea;
}
