import type { DrugCode, IncomingDrug } from "../../domain/intake/incoming-message.ts";
import { normaliseNdc } from "../../domain/values/identifiers.ts";
import { deaSchedule } from "../../domain/values/quantity-units.ts";
import { type Coding, codingOf, codings, conceptText, type Element, many, one, text } from "./elements.ts";
import { follow, type Reading } from "./reading.ts";
import type { Resource } from "./resolve.ts";
import { drugSystem, isSystem, scheduleSystems } from "./systems.ts";

/** Null if the request names no drug. R4 has no strength element; the description contains it. */
export function readDrug(request: Resource, reading: Reading): IncomingDrug | null {
  const concept = medicationConcept(request, reading);
  const codes = drugCodes(concept);
  const description = conceptText(concept);
  const [first] = codes;
  const path = "MedicationRequest.medication";
  if (first === undefined) reading.warn("drug_code_missing", path);
  for (const { system, code } of codes) {
    const meant = system === "ndc" ? normaliseNdc(code).length : 1;
    if (meant !== 1) reading.warn(meant === 0 ? "ndc_unreadable" : "ndc_ambiguous", path);
  }
  const rest = { codes, strength: null, schedule: schedule(request, reading) };
  if (description !== null) return { description, ...rest };
  if (first === undefined) return null;
  reading.warn("drug_description_missing", path);
  return { description: `${first.system.toUpperCase()} ${first.code}`, ...rest };
}

/** From the request, or the Medication it references, or the reference's display if the Medication is missing. */
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
    // Drop spaces within a bare code; keep dashes, because they separate the parts.
    return [{ system: known, code: known === "ndc" && !code.includes("-") ? code.replace(/\s/g, "") : code }];
  });
}

/**
 * R4 has no element for the DEA schedule. Senders use extensions or categories of their own; the code's system
 * identifies it.
 */
function schedule(request: Resource, reading: Reading): IncomingDrug["schedule"] {
  const places = [request, medicationOf(request, reading)].flatMap((resource) => {
    if (resource === null) return [];
    return [...extensionCodings(resource.element), ...many(resource.element.category).flatMap(codings)];
  });
  const coded = places.find(({ system, code }) => code !== null && isSystem(system, scheduleSystems));
  if (coded === undefined) return null;
  const known = deaSchedule(coded.code ?? "");
  if (known === null) reading.warn("schedule_unknown", "MedicationRequest.extension");
  if (known !== "1") return known;
  reading.warn("schedule_one", "MedicationRequest.extension");
  return "2";
}

function extensionCodings(element: Element): Coding[] {
  return many(element.extension).flatMap((extension) => {
    const coding = one(extension.valueCoding);
    return [...codings(extension.valueCodeableConcept), ...(text(coding.code) === null ? [] : [codingOf(coding)])];
  });
}
