import type { Address, PatientAddress, PatientMessaging, PatientUpdate, SafetyLists } from "@pestle/contract";
import { type Problem, refuse } from "../values/refusals.ts";
import { isSameDocument, type NewDocument } from "./identity-document.ts";
import { type PatientRecord, plainWords, type StoredDocument } from "./patient-record.ts";
import { NO_ROOM, type Told, withLists, withoutEntry } from "./safety-record.ts";

/** Changes that partners make to a patient (ADR 0017). Each returns a new record and does not modify its input. */

/** Limits the size of a record, which is always read and encrypted as a whole. */
export const MOST_ADDRESSES = 50;
export const MOST_DOCUMENTS = 20;
export const full = {
  addresses: "The patient has the maximum number of addresses. Remove one first.",
  identity_documents: "The patient has the maximum number of valid identity documents.",
};

/** Patient data that partners can change, as stored. */
export type Contact = Pick<PatientUpdate, "email" | "phone" | "gender"> & { first_name?: string; last_name?: string };
export type ContactChanges = Pick<PatientUpdate, "email" | "phone" | "gender"> & {
  patient_safety?: Partial<SafetyLists>;
  messaging?: PatientMessaging;
};

/** Changes contacts and adds safety facts. A fact that does not fit is left out, and `safetyProblems` rejects it. */
export function withContact(
  record: PatientRecord,
  { patient_safety = {}, ...contact }: ContactChanges,
  now: Date,
): PatientRecord {
  const { safety } = withLists(record.patient_safety, patient_safety, byPartner(now));
  return { ...record, ...contact, patient_safety: safety };
}

const byPartner = (at: Date): Told => ({ source: "partner", at });

/** A problem for each list of which the record has no room for a text. */
export const safetyProblems = (
  record: PatientRecord,
  sent: Partial<SafetyLists>,
  now: Date,
  prefix = "patient_safety.",
): Problem[] =>
  withLists(record.patient_safety, sent, byPartner(now)).full.map((list) => ({
    code: 42200,
    field: `${prefix}${list}`,
    problem: "conflict",
    message: NO_ROOM,
  }));

const NOT_YOURS = "The prescriber or the pharmacy recorded this entry. Ask the pharmacy to remove it.";

/** A partner removes an entry that it sent. Undefined if there is no such entry. */
export function withoutPartnerEntry(
  record: PatientRecord,
  entry_id: number,
  reason: string,
  now: Date,
): PatientRecord | undefined {
  const entry = record.patient_safety.entries.find((one) => one.entry_id === entry_id);
  if (entry === undefined) return undefined;
  if (entry.source !== "partner" && entry.removed === undefined)
    refuse(42200, "entry_id", { problem: "not_allowed", message: NOT_YOURS });
  const removal = { at: now.toISOString(), by: "partner", reason } as const;
  return { ...record, patient_safety: withoutEntry(record.patient_safety, entry_id, removal)! };
}

/**
 * Does not add an address that is on file for the same person. Updates its phone number instead. `as_default`: it
 * becomes the default, as the first address always does.
 */
export function withShippingAddress(
  record: PatientRecord,
  sent: Address,
  as_default = false,
): { record: PatientRecord; address: PatientAddress } {
  const others = (but?: PatientAddress) =>
    as_default ? record.addresses.map((one) => (one === but ? one : { ...one, default: false })) : record.addresses;
  const known = record.addresses.find((one) => shipToKey(one) === shipToKey(sent));
  if (known !== undefined) {
    const address = { ...known, phone: sent.phone ?? known.phone, default: known.default || as_default };
    return { record: { ...record, addresses: replaced(others(known), known, address) }, address };
  }
  if (record.addresses.length >= MOST_ADDRESSES)
    return refuse(42200, "body", { problem: "conflict", message: full.addresses });
  const first = record.addresses.length === 0;
  const address = { address_id: record.next_address_id, ...sent, default: first || as_default };
  return {
    record: { ...record, addresses: [...others(), address], next_address_id: address.address_id + 1 },
    address,
  };
}

/** Undefined if there is no such address. If the default is removed, the newest of the others becomes the default. */
export function withoutShippingAddress(record: PatientRecord, address_id: number): PatientRecord | undefined {
  const gone = record.addresses.find((one) => one.address_id === address_id);
  if (gone === undefined) return undefined;
  const left = record.addresses.filter((one) => one !== gone);
  const newest = left.at(-1);
  const addresses = gone.default && newest ? replaced(left, newest, { ...newest, default: true }) : left;
  return { ...record, addresses };
}

type WithDocument = { record: PatientRecord; document: StoredDocument };

export const withIdentityDocument = (record: PatientRecord, sent: NewDocument, today: string): WithDocument =>
  withDocumentIfRoom(record, sent, today) ??
  refuse(42200, "body", { problem: "conflict", message: full.identity_documents });

/** The same document replaces the older one and keeps its ID. Expired documents make room for new ones. */
export function withDocumentIfRoom(record: PatientRecord, sent: NewDocument, today: string): WithDocument | undefined {
  const known = record.identity_documents.find((one) => isSameDocument(one, sent));
  if (known !== undefined) {
    const document = { id: known.id, ...sent };
    const identity_documents = replaced(record.identity_documents, known, document);
    return { record: { ...record, identity_documents }, document };
  }
  const crowded = record.identity_documents.length >= MOST_DOCUMENTS;
  const kept = record.identity_documents.filter((one) => !crowded || one.expiration_date > today);
  if (kept.length >= MOST_DOCUMENTS) return undefined;
  const document = { id: record.next_document_id, ...sent };
  return {
    record: { ...record, identity_documents: [...kept, document], next_document_id: document.id + 1 },
    document,
  };
}

/** The same person at the same address, regardless of spelling. */
export const isSameShipTo = (a: Address, b: Address): boolean => shipToKey(a) === shipToKey(b);

const shipToKey = ({ first_name, last_name, street1, street2, city, state, zip }: Address) =>
  [first_name, last_name, street1, street2 ?? "", city, state, zip.slice(0, 5)].map(plainWords).join("|");

const replaced = <Item>(items: readonly Item[], old: Item, other: Item): Item[] =>
  items.map((item) => (item === old ? other : item));
