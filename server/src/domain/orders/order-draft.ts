import { type Address, labelFormats, type PatientSafety, payers } from "@pestle/contract";
import { type ReadAddress, readAddress } from "../patients/address-input.ts";
import { type Contact, readContact } from "../patients/contact-fields.ts";
import { type NewDocument, readIdentityDocument } from "../patients/identity-document.ts";
import { readPatientSafety } from "../patients/patient-safety.ts";
import { isStateCode } from "../values/address/states.ts";
import type { ZipTable } from "../values/address/zip.ts";
import { isDate } from "../values/calendar.ts";
import { isId, isText, optionalField } from "../values/optional-field.ts";
import type { Problem } from "../values/refusals.ts";
import { isSentObject, type SentFields, unknownFields } from "../values/unknown-fields.ts";
import { type ItemDraft, readItems } from "./item-draft.ts";

/** The body of an order, as far as it could be read. What is missing or malformed is null and a problem. */
export type OrderDraft = {
  brand_id: number | null;
  reference: string | null;
  shipping: {
    method_id: number | null;
    signature_confirmation: boolean;
    label: LabelDraft | null;
  };
  patient: {
    patient_id: string | null;
    contact: Contact;
    dob: string | null;
    patient_safety: Partial<PatientSafety>;
    identity_documents: NewDocument[];
    /** One was sent and did not pass: what is wrong with it is said, and not that there is none. */
    document_refused: boolean;
  };
  /** Absent: the prescription's or the patient's. `unusable`: sent, and its fields did not pass. */
  address: ReadAddress | "absent" | "unusable";
  /** The state that was sent, where it is one: also of an address that is unusable. */
  sent_state: string | null;
  items: ItemDraft[];
  payment: { payer: (typeof payers)[number]; token: string | null };
};
export type LabelDraft = {
  format: (typeof labelFormats)[number] | null;
  data: string | null;
  carrier: string | null;
  tracking_no: string | null;
};

const known = {
  body: ["brand_id", "reference", "shipping", "patient", "address", "items", "payment"],
  shipping: ["method_id", "signature_confirmation", "label"],
  label: ["format", "data", "carrier", "tracking_no"],
  patient: [
    "patient_id",
    "email",
    "first_name",
    "last_name",
    "dob",
    "gender",
    "phone",
    "patient_safety",
    "identity_documents",
  ],
  payment: ["payer", "token"],
} as const;

/** Reads a body to its end, whatever is wrong with it: every problem of its shape is told at once. */
export function readOrder(
  body: SentFields,
  given: { zips: ZipTable; today: string; address?: Address | null },
): { draft: OrderDraft; problems: Problem[] } {
  const problems: Problem[] = unknownFields(body, known.body);
  const refuse = (code: Problem["code"], field: string) => void problems.push({ code, field });
  const brand_id = optionalField(body, "brand_id", isId, () => refuse(42380, "brand_id"));
  const reference = optionalField(body, "reference", isText, () => refuse(42200, "reference"));
  const draft: OrderDraft = {
    brand_id,
    reference,
    shipping: readShipping(body["shipping"], problems),
    patient: readPatient(body["patient"], given.today, problems),
    address:
      body["address"] === undefined && given.address
        ? { address: given.address, accept_suggested: false, ignore_warnings: true }
        : readShipTo(body["address"], given.zips, problems),
    sent_state: isSentObject(body["address"]) ? stateOf(body["address"]["state"]) : null,
    items: readItems(body["items"], problems),
    payment: readPayment(body["payment"], problems),
  };
  return { draft, problems };
}

function readShipping(sent: unknown, problems: Problem[]): OrderDraft["shipping"] {
  const nothing = { method_id: null, signature_confirmation: false, label: null };
  if (!isSentObject(sent)) {
    problems.push({ code: 42291, field: "shipping.method_id" });
    return nothing;
  }
  problems.push(...unknownFields(sent, known.shipping, "shipping."));
  const method_id = isId(sent["method_id"]) ? sent["method_id"] : null;
  if (method_id === null) problems.push({ code: 42291, field: "shipping.method_id" });
  const { signature_confirmation = false, label } = sent;
  if (typeof signature_confirmation !== "boolean") {
    problems.push({ code: 42292, field: "shipping.signature_confirmation" });
  }
  return {
    method_id,
    signature_confirmation: signature_confirmation === true,
    label: label === undefined ? null : readLabel(label, problems),
  };
}

/** Whether the account may send one, and whether the bytes are what they are called, is judged later. */
function readLabel(sent: unknown, problems: Problem[]): LabelDraft {
  if (!isSentObject(sent)) return { format: null, data: null, carrier: null, tracking_no: null };
  problems.push(...unknownFields(sent, known.label, "shipping.label."));
  const text = (name: "carrier" | "tracking_no") =>
    optionalField(sent, name, isText, () => problems.push({ code: 42200, field: `shipping.label.${name}` }));
  return {
    format: labelFormats.find((format) => format === sent["format"]) ?? null,
    data: typeof sent["data"] === "string" ? sent["data"] : null,
    carrier: text("carrier"),
    tracking_no: text("tracking_no"),
  };
}

function readPatient(sent: unknown, today: string, problems: Problem[]): OrderDraft["patient"] {
  if (!isSentObject(sent)) {
    problems.push({ code: 42206, field: "patient.patient_id" });
    const nothing = { contact: {}, dob: null, patient_safety: {}, identity_documents: [], document_refused: false };
    return { patient_id: null, ...nothing };
  }
  const prefix = "patient.";
  problems.push(...unknownFields(sent, known.patient, prefix));
  const patient_id = isPatientId(sent["patient_id"]) ? sent["patient_id"] : null;
  if (patient_id === null) problems.push({ code: 42206, field: "patient.patient_id" });
  const fields = ["email", "first_name", "last_name", "phone", "gender"] as const;
  const { contact, problems: wrong } = readContact(sent, fields, prefix);
  problems.push(...wrong);
  const dob = optionalField(sent, "dob", isCalendarDate, () => problems.push({ code: 42200, field: "patient.dob" }));
  const safety = readPatientSafety(sent["patient_safety"] ?? {}, "patient.patient_safety");
  problems.push(...safety.problems);
  if (sent["patient_safety"] === null) problems.push({ code: 42200, field: "patient.patient_safety" });
  const documents = readDocuments(sent["identity_documents"], today, problems);
  return { patient_id, contact, dob, patient_safety: safety.patient_safety, ...documents };
}

const MOST_DOCUMENTS_SENT = 20;

function readDocuments(
  sent: unknown,
  today: string,
  problems: Problem[],
): Pick<OrderDraft["patient"], "identity_documents" | "document_refused"> {
  if (sent === undefined) return { identity_documents: [], document_refused: false };
  if (!Array.isArray(sent) || sent.length > MOST_DOCUMENTS_SENT) {
    problems.push({ code: 42208, field: "patient.identity_documents" });
    return { identity_documents: [], document_refused: true };
  }
  const identity_documents = sent.flatMap((one: unknown, index) => {
    const field = `patient.identity_documents[${index}]`;
    if (!isSentObject(one)) {
      problems.push({ code: 42216, field: `${field}.type` });
      return [];
    }
    const { document, problems: wrong } = readIdentityDocument(one, today, `${field}.`);
    problems.push(...wrong);
    return document === null ? [] : [document];
  });
  return { identity_documents, document_refused: identity_documents.length < sent.length };
}

function readShipTo(sent: unknown, zips: ZipTable, problems: Problem[]): OrderDraft["address"] {
  if (sent === undefined) return "absent";
  if (!isSentObject(sent)) {
    problems.push({ code: 42230, field: "address" });
    return "unusable";
  }
  const { read, problems: wrong } = readAddress(sent, zips, "address.");
  problems.push(...wrong);
  return read ?? "unusable";
}

function stateOf(sent: unknown): string | null {
  const state = typeof sent === "string" ? sent.trim().toUpperCase() : "";
  return isStateCode(state) ? state : null;
}

function readPayment(sent: unknown, problems: Problem[]): OrderDraft["payment"] {
  if (sent === undefined) return { payer: "partner", token: null };
  if (!isSentObject(sent)) {
    problems.push({ code: 42200, field: "payment" });
    return { payer: "partner", token: null };
  }
  problems.push(...unknownFields(sent, known.payment, "payment."));
  const { payer = "partner" } = sent;
  const payerKnown = payers.find((one) => one === payer);
  if (payerKnown === undefined) problems.push({ code: 42200, field: "payment.payer" });
  const token = optionalField(sent, "token", isText, () => problems.push({ code: 42200, field: "payment.token" }));
  // Whoever pays by card names it; the partner's account needs none.
  if (payerKnown === "patient" && sent["token"] === undefined) problems.push({ code: 42200, field: "payment.token" });
  return { payer: payerKnown ?? "partner", token };
}

const isPatientId = (value: unknown): value is string => typeof value === "string" && /^[\w-]{4,35}$/.test(value);
const isCalendarDate = (value: unknown): value is string => typeof value === "string" && isDate(value);
