import { type ChangeCode, changeCodes } from "@pestle/contract";
import {
  type FillStatus,
  fillStatuses,
  type PharmacyContent,
  type PharmacyEnvelope,
  type PharmacyMedication,
  type PharmacyMessage,
  pharmacyVersions,
  type SendingPharmacy,
  type Treatment,
} from "../../domain/prescribers/pharmacy-message.ts";
import type { NetworkAnswer } from "../../domain/prescribers/prescriber-format.ts";
import { readAddress, readPhone } from "./contact.ts";
import { calendarDate } from "./dates.ts";
import { readDrug } from "./drug.ts";
import { readEnvelope } from "./envelope.ts";
import {
  header as headerPaths,
  medication as medicationPaths,
  networkAnswer,
  pharmacy as pharmacyPaths,
  response as responsePaths,
  transaction as transactionPaths,
} from "./paths.ts";
import { readPatient } from "./patient.ts";
import { readPrescriber } from "./prescriber.ts";
import { readQuantity, readRefills, wholeNumber } from "./quantity.ts";
import { openMessage } from "./read.ts";
import { Reading } from "./reading.ts";
import { versionOf } from "./version.ts";
import { FILL_ELEMENTS } from "./write-pharmacy.ts";
import { child, children, type XmlElement } from "./xml.ts";

/** Reads a message that a pharmacy sends to a prescriber; null if it is none, or lacks a part that it must have. */
export function readPharmacyMessage(bytes: Uint8Array): PharmacyMessage | null {
  const reading = new Reading();
  const message = openMessage(bytes, reading);
  if (typeof message === "string") return null;
  const [transaction, ...others] = transactionsOf(message);
  if (transaction === undefined || others.length > 0) return null;
  const envelope = readPharmacyEnvelope(reading, message, transaction);
  const content = readContent(reading, transaction);
  return envelope === null || content === null || reading.problems.length > 0 ? null : { envelope, content };
}

/** The synchronous answer of a network: a Status or Verify, or an Error with its codes. Null for anything else. */
export function readNetworkAnswer(bytes: Uint8Array): NetworkAnswer | null {
  const reading = new Reading();
  const message = openMessage(bytes, reading);
  const [transaction] = typeof message === "string" ? [] : transactionsOf(message);
  if (transaction === undefined) return null;
  if (transaction.name === "Status" || transaction.name === "Verify") return { kind: "taken" };
  if (transaction.name !== "Error") return null;
  return {
    kind: "error",
    code: reading.text(transaction, networkAnswer.code, "error.code") ?? "",
    description_code: reading.text(transaction, networkAnswer.description_code, "error.description_code"),
  };
}
/** Also an empty one: `<CancelRxResponse><Response><Approved/>` has no text at all. */
const transactionsOf = (message: XmlElement) =>
  message.children.filter(({ name }) => name === "Body").flatMap((body) => body.children);

function readPharmacyEnvelope(reading: Reading, message: XmlElement, transaction: XmlElement): PharmacyEnvelope | null {
  const declared = versionOf(message)?.version ?? null;
  const version = pharmacyVersions.find((known) => known === declared);
  const read = readEnvelope(reading, message, transaction, declared);
  const { from, to, message_id, relates_to_message_id, sent_time, test_message, prescriber_order_number } = read;
  if (version === undefined || from === null || to === null || message_id === null || sent_time === null) return null;
  const header = child(message, "Header");
  const rx_reference_number = reading.text(header, headerPaths.rx_reference_number, "envelope.rx_reference_number");
  return {
    version,
    from,
    to,
    message_id,
    relates_to_message_id,
    sent_time,
    test_message,
    rx_reference_number,
    prescriber_order_number,
  };
}

function readContent(reading: Reading, transaction: XmlElement): PharmacyContent | null {
  switch (transaction.name) {
    case "RxRenewalRequest":
      return readRenewal(reading, transaction);
    case "RxChangeRequest":
      return readChange(reading, transaction);
    case "RxFill":
      return readFill(reading, transaction);
    case "CancelRxResponse":
      return readCancelResponse(reading, transaction);
    default:
      return null;
  }
}

function readRenewal(reading: Reading, transaction: XmlElement): PharmacyContent | null {
  const treatment = readTreatment(reading, transaction);
  const [dispensed] = readMedications(reading, transaction, "MedicationDispensed");
  const [prescribed] = readMedications(reading, transaction, "MedicationPrescribed");
  // Without the date of the last fill, a prescriber cannot judge a renewal, so the standard requires it.
  if (treatment === null || !dispensed?.last_fill_date || prescribed === undefined) return null;
  return { kind: "renewal", dispensed, prescribed, ...treatment };
}

function readChange(reading: Reading, transaction: XmlElement): PharmacyContent | null {
  const treatment = readTreatment(reading, transaction);
  const code = reading.text(transaction, transactionPaths.request_code, "change.code") ?? "";
  const [prescribed] = readMedications(reading, transaction, "MedicationPrescribed");
  if (treatment === null || !(code in changeCodes) || prescribed === undefined) return null;
  return {
    kind: "change",
    code: code as ChangeCode,
    reason: reading.text(transaction, transactionPaths.change_reason, "change.reason"),
    prescribed,
    requested: readMedications(reading, transaction, "MedicationRequested"),
    ...treatment,
  };
}

function readFill(reading: Reading, transaction: XmlElement): PharmacyContent | null {
  const treatment = readTreatment(reading, transaction);
  // An empty <Dispensed/> is a status, so keep empty elements here.
  const said = transaction.children.find(({ name }) => name === "FillStatus")?.children[0];
  const status = fillStatuses.find((known): known is FillStatus => FILL_ELEMENTS[known] === said?.name);
  const [dispensed = null] = readMedications(reading, transaction, "MedicationDispensed");
  const [prescribed] = readMedications(reading, transaction, "MedicationPrescribed");
  if (treatment === null || said === undefined || status === undefined || prescribed === undefined) return null;
  if (dispensed === null && status !== "not_dispensed") return null;
  const note = reading.text(said, responsePaths.note, "fill.note");
  return { kind: "fill", status, note, dispensed, prescribed, ...treatment };
}

function readCancelResponse(reading: Reading, transaction: XmlElement): PharmacyContent | null {
  const [said, ...others] = transaction.children.find(({ name }) => name === "Response")?.children ?? [];
  if (said === undefined || others.length > 0 || !["Approved", "Denied"].includes(said.name)) return null;
  return {
    kind: "cancel",
    approved: said.name === "Approved",
    reason_codes: responsePaths.reasons.flatMap((name) => children(said, name).map(({ text }) => text)),
    note: reading.text(said, responsePaths.note, "response.note"),
  };
}

function readTreatment(reading: Reading, transaction: XmlElement): Treatment | null {
  const patient = child(transaction, "Patient");
  const pharmacy = readPharmacy(reading, child(transaction, "Pharmacy"));
  const prescriber = child(transaction, "Prescriber");
  if (patient === null || pharmacy === null || prescriber === null) return null;
  return {
    patient: readPatient(reading, patient, false),
    pharmacy,
    prescriber: readPrescriber(reading, prescriber, false),
  };
}

function readPharmacy(reading: Reading, element: XmlElement | null): SendingPharmacy | null {
  if (element === null) return null;
  const text = (name: keyof typeof pharmacyPaths) => reading.text(element, pharmacyPaths[name], `pharmacy.${name}`);
  const ncpdp_id = text("ncpdp_id");
  const name = text("name");
  const address = readAddress(reading, element, "pharmacy.address");
  const phone = readPhone(reading, element, "phone", "pharmacy.phone");
  if (ncpdp_id === null || name === null || address === null || phone === null) return null;
  return { ncpdp_id, npi: text("npi"), name, address, phone };
}

function readMedications(reading: Reading, transaction: XmlElement, name: string): PharmacyMedication[] {
  return children(transaction, name).flatMap((element) => readMedication(reading, element) ?? []);
}

function readMedication(reading: Reading, element: XmlElement): PharmacyMedication | null {
  const drug = readDrug(reading, element);
  if (drug === null) return null;
  const text = (name: "note" | "service_reason" | "sig_text" | "substitutions" | "days_supply" | "requested_refills") =>
    reading.text(element, medicationPaths[name], name);
  const day = (name: "written_date" | "last_fill_date") => {
    const found = reading.text(element, medicationPaths[name], name);
    return found === null ? null : calendarDate(found);
  };
  const refills = readRefills(reading, element, false);
  return {
    drug,
    quantity: readQuantity(reading, element),
    days_supply: wholeNumber(text("days_supply") ?? "", 999),
    written_date: day("written_date"),
    last_fill_date: day("last_fill_date"),
    daw: text("substitutions") === "1",
    refills: refills === "prn" ? null : refills,
    note: text("note"),
    service_reason: text("service_reason"),
    sig_text: text("sig_text"),
    requested_refills: wholeNumber(text("requested_refills") ?? "", 99),
  };
}
