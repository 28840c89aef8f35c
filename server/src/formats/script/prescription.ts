import type {
  AnsweredPrescription,
  IncomingPatient,
  IncomingPrescriber,
  IncomingPrescription,
} from "../../domain/intake/incoming-message.ts";
import { readAllergies } from "./allergies.ts";
import { calendarDate } from "./dates.ts";
import { readDrug } from "./drug.ts";
import { isAsked, isYes } from "./envelope.ts";
import { code as codePaths, header as headerPaths, otherDate, medication as paths, transaction } from "./paths.ts";
import { readQuantity, readRefills, wholeNumber } from "./quantity.ts";
import type { Reading } from "./reading.ts";
import { child, children, type XmlElement } from "./xml.ts";

/** The elements of a prescription, with the patient and prescriber already read. */
export interface Parts {
  header: XmlElement | null;
  transaction: XmlElement;
  medication: XmlElement;
  patient: IncomingPatient | null;
  prescriber: IncomingPrescriber | null;
}

/** `whole`: a new prescription must be complete, so gaps cause warnings or refusals. */
export function readPrescription(reading: Reading, parts: Parts, whole: boolean): AnsweredPrescription | null {
  const { header, medication, patient, prescriber } = parts;
  const drug = readDrug(reading, medication);
  const text = (name: "note" | "prior_authorization" | "fill_indicator") => reading.text(medication, paths[name], name);
  const rest = {
    patient,
    prescriber,
    quantity: readQuantity(reading, medication),
    days_supply: readDaysSupply(reading, medication),
    refills: readRefills(reading, medication, whole),
    daw: readDaw(reading, medication),
    sig_text: readSig(reading, medication),
    note: text("note"),
    diagnoses: readDiagnoses(reading, medication),
    allergies: readAllergies(reading, parts.transaction),
    ...readDates(reading, medication, whole),
    signature_evidence: readSignature(reading, header, medication),
    prior_authorization: text("prior_authorization"),
    fill_indicator: text("fill_indicator"),
    ...(isYes(reading.text(parts.transaction, transaction.prohibits_renewal, "prohibits_renewal")) && {
      prohibits_renewal: true,
    }),
    order_group: readOrderGroup(reading, header),
  };
  if (drug === null) reading.refuse("206");
  if (whole && rest.quantity === null) reading.refuse("135");
  if (whole && rest.sig_text === null) reading.warn("sig_missing", medication);
  warnOfHandling(reading, medication);
  if (drug === null) return null;
  const prescription = { drug, ...rest };
  warnOfControl(reading, parts, prescription);
  return prescription;
}

/** The longest sig that fits on a label (exception 69). */
const LABEL_SIG_LENGTH = 1000;

function readSig(reading: Reading, medication: XmlElement): string | null {
  const hit = reading.hit(medication, paths.sig_text, "sig_text");
  if (hit !== null && hit.text.length > LABEL_SIG_LENGTH) reading.warn("sig_long", hit.element);
  return hit?.text ?? null;
}

function readDaysSupply(reading: Reading, medication: XmlElement): number | null {
  const hit = reading.hit(medication, paths.days_supply, "days_supply");
  if (hit === null) return null;
  const days = wholeNumber(hit.text, 999);
  if (days !== null && days > 0) return days;
  reading.warn("days_supply_unreadable", hit.element);
  return null;
}

/** Dispense-as-written codes: 1 (the prescriber) and 7 (the law) forbid substitution; the others do not. */
const FORBIDS_SUBSTITUTION = new Map(Array.from("0123456789", (code) => [code, code === "1" || code === "7"]));

function readDaw(reading: Reading, medication: XmlElement): boolean {
  const reason = reading.text(medication, paths.substitution_reason, "daw.reason");
  if (reason !== null && /brand\s{0,9}medically\s{0,9}necessary/i.test(reason)) return true;
  const hit = reading.hit(medication, paths.substitutions, "daw");
  if (hit === null) return false;
  const forbids = FORBIDS_SUBSTITUTION.get(hit.text);
  if (forbids === undefined) reading.warn("substitution_unknown", hit.element);
  return forbids ?? false;
}

const DIAGNOSIS_SYSTEMS = new Map([
  ["ABF", "icd10cm"],
  ["DX", "icd9cm"],
  ["LD", "snomed"],
]);

function readDiagnoses(reading: Reading, medication: XmlElement): IncomingPrescription["diagnoses"] {
  const sections = children(medication, "Diagnosis");
  const elements = sections.flatMap((section) => [...children(section, "Primary"), ...children(section, "Secondary")]);
  return elements.flatMap((element) => {
    const code = reading.text(element, codePaths.value, "diagnoses.code") ?? reading.own(element, "diagnoses.code");
    if (code === null) return [];
    const qualifier = reading.text(element, codePaths.qualifier, "diagnoses.system");
    const description = reading.text(element, codePaths.text, "diagnoses.description");
    return [{ code, system: DIAGNOSIS_SYSTEMS.get(qualifier ?? "") ?? qualifier, description }];
  });
}

function readDates(reading: Reading, medication: XmlElement, whole: boolean) {
  const written = reading.hit(medication, paths.written_date, "written_date");
  const written_date = written === null ? null : calendarDate(written.text);
  if (written !== null && written_date === null) reading.warn("written_date_unreadable", written.element);
  if (written === null && whole) reading.warn("written_date_missing", medication);
  return {
    written_date,
    effective_date: readOtherDate(reading, medication, "effective_date", "EFFECTIVEDATE"),
    expiration_date: readOtherDate(reading, medication, "expiration_date", "EXPIRATIONDATE"),
  };
}

/** A separate element in 10.6; one of several qualified dates since 2017071. */
function readOtherDate(
  reading: Reading,
  medication: XmlElement,
  field: "effective_date" | "expiration_date",
  qualifier: string,
): string | null {
  const qualified = children(medication, "OtherMedicationDate").find(
    (element) => reading.text(element, otherDate.qualifier, "other_date.qualifier")?.toUpperCase() === qualifier,
  );
  const hit = reading.hit(qualified ?? null, otherDate.date, field) ?? reading.hit(medication, paths[field], field);
  if (hit === null) return null;
  const date = calendarDate(hit.text);
  if (date === null) reading.warn("date_unreadable", hit.element);
  return date;
}

/** The header's signature, or the code with which a prescriber's system attests to one (21 CFR 1311). */
function readSignature(reading: Reading, header: XmlElement | null, medication: XmlElement): boolean {
  const signed = (name: "signature_indicator" | "signature_digest" | "signature_value") =>
    reading.text(header, headerPaths[name], "signature_evidence");
  if (isYes(signed("signature_indicator"))) return true;
  if (signed("signature_digest") !== null && signed("signature_value") !== null) return true;
  const statuses = children(medication, "DrugCoverageStatusCode").map((status) => child(status, "Code") ?? status);
  const mark = statuses.find(({ text }) => text === "SI");
  return mark !== undefined && reading.own(mark, "signature_evidence") !== null;
}

function readOrderGroup(reading: Reading, header: XmlElement | null): IncomingPrescription["order_group"] {
  const number = reading.text(header, headerPaths.order_group_number, "order_group.number");
  if (number === null) return null;
  const count = (name: "order_group_item" | "order_group_total", field: string) =>
    wholeNumber(reading.text(header, headerPaths[name], field) ?? "", 999);
  return {
    number,
    item: count("order_group_item", "order_group.item"),
    total: count("order_group_total", "order_group.total"),
  };
}

/** Special handling requests, which only staff can act on. */
function warnOfHandling(reading: Reading, medication: XmlElement): void {
  const held = reading.hit(medication, paths.do_not_fill, "do_not_fill");
  if (held !== null && isAsked(held.text)) reading.warn("do_not_fill", held.element);
  const delivery = reading.hit(medication, paths.delivery_request, "delivery_request");
  if (delivery !== null && /^no delivery$/i.test(delivery.text)) reading.warn("no_delivery", delivery.element);
}

function warnOfControl(
  reading: Reading,
  { header, transaction }: Parts,
  { drug, prescriber, signature_evidence }: AnsweredPrescription,
): void {
  if (drug.schedule === null || drug.schedule === "0") return;
  if (!signature_evidence) reading.warn("signature_missing", header);
  if (prescriber !== null && prescriber.dea === null) reading.warn("dea_missing", child(transaction, "Prescriber"));
}
