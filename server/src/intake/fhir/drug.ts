import { normaliseNdc } from "../../domain/identifiers.ts";
import type { DrugCode, IncomingDrug } from "../../domain/incoming-message.ts";
import { deaSchedule } from "../../domain/units.ts";
import { type Coding, codingOf, codings, conceptText, type Element, many, one, text } from "./elements.ts";
import { follow, type Reading } from "./reading.ts";
import type { Resource } from "./resolve.ts";
import { drugSystem, isSystem, scheduleSystems } from "./systems.ts";

/** Null where the request names no drug. R4 has no place for a strength: the description carries it. */
export function readDrug(request: Resource, reading: Reading): IncomingDrug | null {
  const concept = medicationConcept(request, reading);
  const codes = drugCodes(concept);
  const description = conceptText(concept) ?? codes[0]?.code;
  if (description === undefined) return null;
  if (codes.length === 0) reading.warn("drug_code_missing", "MedicationRequest.medication");
  const ndcs = codes.filter(({ system }) => system === "ndc");
  if (ndcs.some(({ code }) => code.length > 40 || normaliseNdc(code).length === 0)) {
    reading.warn("ndc_unreadable", "MedicationRequest.medication");
  }
  return { description, codes, strength: null, schedule: schedule(request, reading) };
}

/** Of the request itself, or of the Medication it points to; where that is not in the message, the name it is shown by. */
export function medicationConcept(request: Resource, reading: Reading): Element {
  const concept = one(request.element.medicationCodeableConcept);
  if (conceptText(concept) !== null || codings(concept).length > 0) return concept;
  const reference = request.element.medicationReference;
  const medication = medicationOf(request, reading);
  return medication === null ? { text: one(reference).display } : one(medication.element.code);
}

export function medicationOf(request: Resource, reading: Reading): Resource | null {
  const path = `${request.type}.medicationReference`;
  return follow(reading, request, request.element.medicationReference, ["Medication"], path);
}

export function drugCodes(concept: unknown): DrugCode[] {
  return codings(concept).flatMap(({ system, code }) => {
    if (code === null) return [];
    const known = drugSystem(system);
    // Blanks within a bare code mean nothing; dashes tell the parts apart and are kept.
    return [{ system: known, code: known === "ndc" && !code.includes("-") ? code.replace(/\s/g, "") : code }];
  });
}

/**
 * R4 has no element for the DEA's schedule. Senders put it into an extension or a category, each under a name of its
 * own; the code's system tells what it is.
 */
function schedule(request: Resource, reading: Reading): IncomingDrug["schedule"] {
  const places = [request, medicationOf(request, reading)].flatMap((resource) => {
    if (resource === null) return [];
    return [...extensionCodings(resource.element), ...many(resource.element.category).flatMap(codings)];
  });
  const coded = places.find(({ system, code }) => code !== null && isSystem(system, scheduleSystems));
  if (coded === undefined) return null;
  const known = deaSchedule(coded.code ?? "");
  if (known === null || known === "1") reading.warn("schedule_unknown", "MedicationRequest.extension");
  // Nobody may dispense schedule I: it is held to the strictest rules there are.
  return known === "1" ? "2" : known;
}

function extensionCodings(element: Element): Coding[] {
  return many(element.extension).flatMap((extension) => {
    const coding = one(extension.valueCoding);
    return [...codings(extension.valueCodeableConcept), ...(text(coding.code) === null ? [] : [codingOf(coding)])];
  });
}
