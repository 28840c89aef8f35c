import type { IncomingAllergy, IncomingPrescription } from "../../domain/intake/incoming-message.ts";
import { codeSystem } from "./drug.ts";
import { isYes } from "./envelope.ts";
import { code as codePaths, allergy as paths } from "./paths.ts";
import type { Reading } from "./reading.ts";
import { child, children, type XmlElement } from "./xml.ts";

/** No information is "unknown", never "none". A named allergy overrides "no known allergies". */
export function readAllergies(reading: Reading, transaction: XmlElement): IncomingPrescription["allergies"] {
  const sections = children(transaction, "AllergyOrAdverseEvent");
  const allergies = sections.flatMap((section) =>
    children(section, "Allergies").flatMap((element) => readAllergy(reading, element) ?? []),
  );
  if (allergies.length > 0) return allergies;
  // An unreadable allergy is still an allergy, so do not return "none".
  if (sections.some((section) => child(section, "Allergies") !== null)) return "unknown";
  return sections.some((section) => saysNone(reading, section)) ? "none" : "unknown";
}

function saysNone(reading: Reading, section: XmlElement): boolean {
  const element = child(section, "NoKnownAllergies");
  return element !== null && isYes(reading.own(element, "allergies"));
}

function readAllergy(reading: Reading, element: XmlElement): IncomingAllergy | null {
  const coded = child(element, "DrugProductCoded");
  const code = reading.text(coded, codePaths.value, "allergies.codes");
  const qualifier = reading.text(coded, codePaths.qualifier, "allergies.codes.qualifier");
  const text = reading.text(element, paths.text, "allergies.text") ?? code;
  if (text === null) {
    reading.warn("allergy_unreadable", element);
    return null;
  }
  return {
    text,
    codes: code === null ? [] : [{ system: codeSystem(qualifier ?? ""), code }],
    reaction: reading.text(element, paths.reaction, "allergies.reaction"),
    severity: reading.text(element, paths.severity, "allergies.severity"),
  };
}
