import type { IncomingAllergy, IncomingPrescription } from "../../domain/intake/incoming-message.ts";
import { bodyWeight, weightCodes } from "../../domain/patients/body-weight.ts";
import { drugCodes, medicationConcept } from "./drug.ts";
import { codings, conceptText, hasCode, many, one, text } from "./elements.ts";
import type { Reading } from "./reading.ts";
import type { Resource } from "./resolve.ts";
import { isSystem } from "./systems.ts";

/** The patient's allergies, current medications and conditions. */

export function allergies(patient: Resource, reading: Reading): IncomingPrescription["allergies"] {
  const found: IncomingAllergy[] = [];
  let saidNone = false;
  let unreadable = false;
  for (const { element } of recordsOf(patient, "AllergyIntolerance", "patient", reading)) {
    if (!holds(element.clinicalStatus, ["active"]) || hasCode(element.verificationStatus, DISPROVED)) continue;
    const denial = denialOf(element.code);
    if (denial !== null) {
      saidNone ||= denial === "all";
      continue;
    }
    const codes = drugCodes(element.code);
    const named = conceptText(element.code) ?? codes[0]?.code;
    if (named === undefined) {
      unreadable = true;
      reading.warn("allergy_unreadable", "AllergyIntolerance.code");
      continue;
    }
    found.push({ text: named, codes, ...reactionOf(element.reaction) });
  }
  if (found.length > 0) return found;
  return saidNone && !unreadable ? "none" : "unknown";
}

const DISPROVED = ["refuted", "entered-in-error"];
const SEVERITIES = ["severe", "moderate", "mild"];

function reactionOf(reactions: unknown): Pick<IncomingAllergy, "reaction" | "severity"> {
  const all = many(reactions);
  const seen = all.flatMap((reaction) => many(reaction.manifestation)).flatMap((sign) => conceptText(sign) ?? []);
  return {
    reaction: seen.length === 0 ? null : [...new Set(seen)].join(", "),
    severity: SEVERITIES.find((severity) => all.some((reaction) => reaction.severity === severity)) ?? null,
  };
}

/** Codes for "no known allergy": `all` covers drug allergies; `some` covers only other kinds. */
const denials: readonly { systems: readonly string[]; all: readonly string[]; some: readonly string[] }[] = [
  {
    systems: ["http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96"],
    // No known allergy, no known drug allergy.
    all: ["716186003", "409137002"],
    // No known food, environmental, insect or animal allergy; patient not asked.
    some: ["429625007", "428607008", "428197003", "716220001", "1631000175102"],
  },
  {
    systems: ["http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"],
    all: ["no-known-allergies", "no-known-medication-allergies"],
    some: ["no-known-food-allergies", "no-known-environmental-allergies", "no-allergy-info"],
  },
];

const DENIES_ALL = /^(nkda|nka|none known|no known( drug| medication)? allerg(y|ies))( \(situation\))?$/i;
const DENIES_SOME = /^no known [a-z]+ allerg(y|ies)( \(situation\))?$/i;

function denialOf(concept: unknown): "all" | "some" | null {
  for (const { system, code } of codings(concept)) {
    const table = denials.find(({ systems }) => isSystem(system, systems));
    if (table === undefined || code === null) continue;
    if (table.all.includes(code)) return "all";
    if (table.some.includes(code)) return "some";
  }
  const written = conceptText(concept) ?? "";
  if (DENIES_ALL.test(written)) return "all";
  return DENIES_SOME.test(written) ? "some" : null;
}

export function currentMedications(patient: Resource, reading: Reading): string[] {
  const taken = recordsOf(patient, "MedicationStatement", "subject", reading).filter(
    ({ element }) => (text(element.status) ?? "active") === "active",
  );
  return distinct(taken.map((statement) => conceptText(medicationConcept(statement, reading))));
}

export function healthConditions(patient: Resource, reading: Reading): string[] {
  const present = recordsOf(patient, "Condition", "subject", reading).filter(
    ({ element }) =>
      holds(element.clinicalStatus, ["active", "recurrence", "relapse"]) &&
      !hasCode(element.verificationStatus, DISPROVED),
  );
  return distinct(present.map(({ element }) => conceptText(element.code)));
}

/** The newest body weight. An impossible one is a warning, and a pharmacist looks at it. */
export function patientWeight(patient: Resource, reading: Reading): { weight_kg?: number } {
  const isWeight = ({ element }: Resource) => hasCode(element.code, weightCodes);
  const [newest] = recordsOf(patient, "Observation", "subject", reading, isWeight)
    .filter(({ element }) => !["entered-in-error", "cancelled"].includes(text(element.status) ?? ""))
    .sort((a, b) => (takenAt(a) < takenAt(b) ? 1 : -1));
  if (newest === undefined) return {};
  const measured = one(newest.element.valueQuantity);
  const value = typeof measured.value === "number" ? measured.value : Number.NaN;
  const weight_kg = bodyWeight(value, text(measured.code) ?? text(measured.unit) ?? "");
  if (weight_kg !== null) return { weight_kg };
  reading.warn("weight_unreadable", "Observation.value");
  return {};
}

const takenAt = ({ element }: Resource) => text(element.effectiveDateTime) ?? "";

/** A missing status does not exclude a record. */
function holds(status: unknown, wanted: readonly string[]): boolean {
  return codings(status).length === 0 || hasCode(status, wanted);
}

/** Skips another patient's records with a warning. A record whose patient is unknown counts as this patient's. */
function recordsOf(
  patient: Resource,
  type: string,
  field: "patient" | "subject",
  reading: Reading,
  isWanted: (record: Resource) => boolean = () => true,
): Resource[] {
  return reading.scope.resources.filter((record) => {
    if (record.type !== type || !isWanted(record)) return false;
    const whose = reading.scope.resolve(record.element[field], record, ["Patient"]);
    if (whose === null) reading.warn("reference_unresolved", `${type}.${field}`);
    else if (whose.element !== patient.element) reading.warn("other_patient", `${type}.${field}`);
    return whose === null || whose.element === patient.element;
  });
}

function distinct(texts: (string | null)[]): string[] {
  return [...new Set(texts.filter((text) => text !== null))];
}
