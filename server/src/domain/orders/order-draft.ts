import { type Address, type labelFormats, OrderRequest, type payers, type SafetyLists } from "@pestle/contract";
import { addressReader, type ReadAddress } from "../patients/address-input.ts";
import { isPossibleBirth } from "../patients/birth-date.ts";
import { type NewDocument, readIdentityDocument } from "../patients/identity-document.ts";
import type { Contact } from "../patients/patient-changes.ts";
import { isStateCode } from "../values/address/states.ts";
import type { ZipTable } from "../values/address/zip.ts";
import { isDate } from "../values/calendar.ts";
import { type Read, readBody } from "../values/read-body.ts";
import type { Problem } from "../values/refusals.ts";
import { isSentObject, type SentFields } from "../values/unknown-fields.ts";
import { type ItemDraft, itemDrafts } from "./item-draft.ts";

/** An order body, as far as it is readable. A missing or malformed field is null and has a problem. */
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
    patient_safety: Partial<SafetyLists>;
    identity_documents: NewDocument[];
    /** A document was sent and rejected. Report its own problems, not a missing document. */
    document_refused: boolean;
  };
  /** `absent`: use the prescription's or the patient's. `unusable`: sent, and its fields are invalid. */
  address: ReadAddress | "absent" | "unusable";
  /** The state that was sent, if valid, even if the rest of the address is unusable. */
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

/** The account's permission to send a label is checked first, and then the label (`checkLabel`). */
const JUDGED_LATER: readonly Problem["code"][] = [42294, 42296];

/** Reads the complete body, so that all problems of its shape are reported at once. */
export function readOrder(
  body: SentFields,
  given: { zips: ZipTable; today: string; address?: Address | null },
): { draft: OrderDraft; problems: Problem[] } {
  const { fields, problems } = readBody(OrderRequest, body, "", {
    ...addressReader(given.zips),
    IdentityDocumentInput: (sent: SentFields, prefix) => {
      const { document: value, problems } = readIdentityDocument(sent, given.today, prefix);
      return { value, problems };
    },
    // The date of birth is the only date outside a document.
    date: (dob: string) => ({ value: isDate(dob) && isPossibleBirth(dob, given.today) ? dob : null, problems: [] }),
  });
  const { shipping = {}, patient = {}, payment = {}, items = [] } = fields;
  // A patient pays with a card token. The partner's account needs none.
  if (payment.payer === "patient" && part(body["payment"])["token"] == null) {
    problems.push({ code: 42200, field: "payment.token", problem: "missing" });
  }
  const draft: OrderDraft = {
    brand_id: fields.brand_id ?? null,
    reference: fields.reference ?? null,
    shipping: {
      method_id: shipping.method_id ?? null,
      signature_confirmation: shipping.signature_confirmation ?? false,
      label: part(body["shipping"])["label"] == null ? null : { ...noLabel, ...shipping.label },
    },
    patient: patientDraft(patient, part(body["patient"])["identity_documents"] != null),
    address: shipTo(body["address"], fields.address as ReadAddress | undefined, given.address ?? null),
    sent_state: stateOf(part(body["address"])["state"]),
    items: itemDrafts(items, body["items"]),
    payment: { payer: payment.payer ?? "partner", token: payment.token ?? null },
  };
  return { draft, problems: problems.filter(({ code }) => !JUDGED_LATER.includes(code)) };
}

const part = (sent: unknown): SentFields => (isSentObject(sent) ? sent : {});

const noLabel: LabelDraft = { format: null, data: null, carrier: null, tracking_no: null };

function patientDraft(read: Read<OrderRequest["patient"]>, documents_sent: boolean): OrderDraft["patient"] {
  const { patient_id = null, dob = null, patient_safety = {}, identity_documents, ...contact } = read;
  // A rejected list counts as a rejected document.
  const sent = (identity_documents ?? (documents_sent ? [undefined] : [])) as (NewDocument | undefined)[];
  const passed = sent.filter((one) => one !== undefined);
  const documents = { identity_documents: passed, document_refused: passed.length < sent.length };
  return { patient_id, contact, dob, patient_safety, ...documents };
}

function shipTo(sent: unknown, read: ReadAddress | undefined, before: Address | null): OrderDraft["address"] {
  if (sent != null) return read ?? "unusable";
  return before === null ? "absent" : { address: before, accept_suggested: false, ignore_warnings: true };
}

function stateOf(sent: unknown): string | null {
  const state = typeof sent === "string" ? sent.trim().toUpperCase() : "";
  return isStateCode(state) ? state : null;
}
