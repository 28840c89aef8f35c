import type { IncomingPrescription } from "../../domain/intake/incoming-message.ts";
import type { DescriptionCode } from "../../domain/intake/intake-refusals.ts";
import { allergies } from "./clinical.ts";
import { calendarDate } from "./dates.ts";
import { medicationOf, readDrug } from "./drug.ts";
import { type Coding, codings, conceptText, hasCode, id, isPresent, many, one, text } from "./elements.ts";
import { isAnimal, readPatient } from "./patient.ts";
import { readPrescriber } from "./prescriber.ts";
import { daysSupply, quantity, refills } from "./quantity.ts";
import { follow, type Reading } from "./reading.ts";
import type { Resource } from "./resolve.ts";
import { isSystem, reasonSystems } from "./systems.ts";

/** The prescription, or every problem that prevents reading one. */
export function readPrescription(
  request: Resource,
  reading: Reading,
): { prescription: IncomingPrescription } | { problems: [DescriptionCode, ...DescriptionCode[]] } {
  const { element } = request;
  const dispense = one(element.dispenseRequest);
  const problems: DescriptionCode[] = [];

  const subject = subjectOf(request, reading);
  const patient = subject === null ? null : readPatient(subject, reading);
  if (subject === null || isAnimal(subject)) problems.push("204");
  else if (patient?.last_name === null) problems.push("081");
  const drug = readDrug(request, reading);
  if (drug === null) problems.push("206");
  const prescriber = readPrescriber(request, drug?.schedule ?? null, reading);
  if (prescriber === null) problems.push("203");
  const amount = quantity(dispense, reading);
  if (amount === null) problems.push("135");
  const sig_text = directions(request, reading);
  if (sig_text === null) reading.warn("sig_missing", "MedicationRequest.dosageInstruction.text");

  const [first, ...more] = problems;
  // Each null has added a problem, which the compiler cannot see.
  if (first !== undefined || subject === null || patient === null || drug === null || prescriber === null) {
    return { problems: [first ?? "206", ...more] };
  }

  const signature_evidence = isSigned(request, reading);
  const controlled = drug.schedule !== null && drug.schedule !== "0";
  if (controlled && !signature_evidence) reading.warn("signature_missing", "Provenance.signature");
  // We do not support a first fill that differs from the others.
  if (isPresent(dispense.initialFill)) reading.warn("element_ignored", "MedicationRequest.dispenseRequest.initialFill");
  const validity = one(dispense.validityPeriod);
  const prescription: IncomingPrescription = {
    patient,
    prescriber,
    drug,
    quantity: amount,
    days_supply: daysSupply(dispense, reading),
    refills: refills(dispense, reading),
    daw: forbidsSubstitution(element.substitution, reading),
    sig_text,
    note: note(request),
    diagnoses: diagnoses(request, reading),
    allergies: allergies(subject, reading),
    written_date: writtenDate(request, reading),
    effective_date: date(validity.start, "MedicationRequest.dispenseRequest.validityPeriod.start", reading),
    expiration_date: date(validity.end, "MedicationRequest.dispenseRequest.validityPeriod.end", reading),
    signature_evidence,
    prior_authorization: priorAuthorization(request, reading),
    fill_indicator: null,
    order_group: orderGroup(request),
  };
  return { prescription };
}

export function subjectOf(request: Resource, reading: Reading): Resource | null {
  return follow(reading, request, request.element.subject, ["Patient"], "MedicationRequest.subject");
}

export function writtenDate(request: Resource, reading: Reading): string | null {
  const { authoredOn } = request.element;
  const written = calendarDate(authoredOn);
  if (written === null) {
    const code = isPresent(authoredOn) ? "written_date_unreadable" : "written_date_missing";
    reading.warn(code, "MedicationRequest.authoredOn");
  }
  return written;
}

function date(value: unknown, path: string, reading: Reading): string | null {
  const known = calendarDate(value);
  if (known === null && isPresent(value)) reading.warn("date_unreadable", path);
  return known;
}

/**
 * Elements that change the meaning of a request in any status. A system that does not understand a modifier
 * extension must not act on the element that carries it (FHIR R4, Extensibility). We support none.
 */
export function contradictions(request: Resource, reading: Reading): DescriptionCode[] {
  const { element } = request;
  const carriers = [
    element,
    one(element.dispenseRequest),
    one(element.substitution),
    ...many(element.dosageInstruction),
    medicationOf(request, reading)?.element ?? {},
  ];
  const modified = carriers.some((carrier) => many(carrier.modifierExtension).length > 0);
  return [
    ...(element.doNotPerform === true ? ["do_not_perform" as const] : []),
    ...(modified ? ["modifier_extension" as const] : []),
  ];
}

/**
 * The prescriber's own words, in sequence. We do not turn coded directions into text: a label must not carry a sentence
 * that the prescriber did not write.
 */
function directions(request: Resource, reading: Reading): string | null {
  const dosages = many(request.element.dosageInstruction);
  const place = (sequence: unknown) => (typeof sequence === "number" ? sequence : 0);
  const ordered = [...dosages].sort((a, b) => place(a.sequence) - place(b.sequence));
  const written = lines(ordered.map((dosage) => text(dosage.text)));
  const tooLong = written !== null && written.length > LABEL_SIG_LENGTH;
  if (tooLong) reading.warn("sig_long", "MedicationRequest.dosageInstruction.text");
  return written;
}

/** The longest sig that fits on a label (exception 69). */
const LABEL_SIG_LENGTH = 1000;

function note(request: Resource): string | null {
  const { element } = request;
  const asides = many(element.dosageInstruction).flatMap((dosage) => [
    text(dosage.patientInstruction),
    ...many(dosage.additionalInstruction).map(conceptText),
  ]);
  return lines([...many(element.note).map((remark) => text(remark.text)), ...asides]);
}

function lines(texts: (string | null)[]): string | null {
  const written = texts.filter((line) => line !== null);
  return written.length === 0 ? null : written.join("\n");
}

/** HL7 substitution codes: `N` forbids substitution; the others allow some kind of it. */
const FORBIDS = ["N", "NONE"];
const ALLOWS = ["E", "EC", "BC", "G", "TE", "TB", "TG", "F"];

function forbidsSubstitution(substitution: unknown, reading: Reading): boolean {
  const { allowedBoolean, allowedCodeableConcept } = one(substitution);
  if (typeof allowedBoolean === "boolean") return !allowedBoolean;
  if (hasCode(allowedCodeableConcept, FORBIDS)) return true;
  const said = isPresent(allowedBoolean) || isPresent(allowedCodeableConcept);
  if (said && !hasCode(allowedCodeableConcept, ALLOWS)) {
    reading.warn("substitution_unknown", "MedicationRequest.substitution");
  }
  return false;
}

function diagnoses(request: Resource, reading: Reading): IncomingPrescription["diagnoses"] {
  const { reasonCode, reasonReference } = request.element;
  const path = "MedicationRequest.reasonReference";
  const conditions = many(reasonReference).flatMap((reference) => {
    const condition = follow(reading, request, reference, ["Condition"], path);
    return condition === null ? [] : [one(condition.element.code)];
  });
  return [...many(reasonCode), ...conditions].flatMap((reason) => {
    const coding = bestReason(codings(reason));
    if (coding?.code) return [{ code: coding.code, system: reasonSystem(coding), description: conceptText(reason) }];
    // We have no field for an uncoded reason.
    reading.warn("element_ignored", "MedicationRequest.reasonCode");
    return [];
  });
}

/** Prefers the system that payers use. */
function bestReason(coded: Coding[]): Coding | undefined {
  const place = (coding: Coding) => {
    const at = reasonSystems.findIndex(({ names }) => isSystem(coding.system, names));
    return at === -1 ? reasonSystems.length : at;
  };
  return coded.filter(({ code }) => code !== null).sort((a, b) => place(a) - place(b))[0];
}

function reasonSystem({ system }: Coding): string | null {
  return reasonSystems.find(({ names }) => isSystem(system, names))?.system ?? system;
}

/**
 * True if a Provenance targets the request and contains signature bytes. A signature over the whole Bundle, or one
 * without bytes, does not prove that the prescriber signed this prescription.
 */
function isSigned(request: Resource, reading: Reading): boolean {
  return reading.scope.resources.some(
    (resource) =>
      resource.type === "Provenance" &&
      many(resource.element.signature).some(({ data }) => text(data) !== null) &&
      many(resource.element.target).some(
        (target) => reading.scope.resolve(target, resource, ["MedicationRequest"])?.element === request.element,
      ),
  );
}

function priorAuthorization(request: Resource, reading: Reading): string | null {
  for (const insurance of many(request.element.insurance)) {
    const response = reading.scope.resolve(insurance, request, ["ClaimResponse"]);
    const number = text(response?.element.preAuthRef);
    if (number !== null) return number;
  }
  return null;
}

/** FHIR identifies the group of requests but not its size. */
function orderGroup(request: Resource): IncomingPrescription["order_group"] {
  const number = id(one(request.element.groupIdentifier).value);
  return number === null ? null : { number, item: null, total: null };
}
