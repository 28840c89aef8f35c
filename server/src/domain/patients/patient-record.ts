import {
  type documentTypes,
  type genders,
  noMessaging,
  type Patient,
  type PatientAddress,
  type PatientMessaging,
  type SafetyLists,
} from "@pestle/contract";
import type { IncomingPatient, IncomingPrescription } from "../intake/incoming-message.ts";
import {
  emptySafety,
  type SafetyRecord,
  safetyAnswer,
  safetyFactsChanged,
  upgradedSafety,
  withNone,
  withTexts,
} from "./safety-record.ts";

/**
 * The encrypted part of a patient: everything that identifies the person. Searchable dates and IDs are stored
 * separately.
 */
export type PatientRecord = {
  first_name: string;
  last_name: string;
  middle_name: string | null;
  suffix: string | null;
  dob: string;
  /** Also null if the prescriber sent "unknown". */
  gender: (typeof genders)[number] | null;
  /** The newest one that a prescriber sent. */
  weight_kg?: number;
  email: string | null;
  phone: string | null;
  patient_safety: SafetyRecord;
  addresses: PatientAddress[];
  /** IDs are never reused for another address or document of this patient. */
  next_address_id: number;
  identity_documents: StoredDocument[];
  next_document_id: number;
  /** Consent to messages, as the partner passed it. Absent before the first. */
  messaging?: PatientMessaging;
};

export type StoredDocument = {
  id: number;
  type: (typeof documentTypes)[number];
  issuing_country: string;
  issuing_state: string | null;
  number: string;
  expiration_date: string;
};

/** A record as this or an earlier version stored it. Version 0.1.0 has the three lists of texts only. */
export type StoredRecord = Omit<PatientRecord, "patient_safety"> & {
  patient_safety: SafetyLists & Partial<SafetyRecord>;
};

export const upgradedRecord = (stored: StoredRecord): PatientRecord => ({
  ...stored,
  patient_safety: upgradedSafety(stored.patient_safety),
});

/** The patient as partners see it. Document numbers show at most their last four characters. */
export function patientAnswer(
  patient_id: string,
  record: PatientRecord,
  { created_at, updated_at }: { created_at: Date; updated_at: Date },
): Patient {
  const { first_name, last_name, dob, gender, email, phone, patient_safety, addresses, identity_documents } = record;
  const { messaging = noMessaging } = record;
  return {
    patient_id,
    email,
    first_name,
    last_name,
    dob,
    gender,
    phone,
    patient_safety: safetyAnswer(patient_safety),
    addresses,
    identity_documents: identity_documents.map(documentAnswer),
    messaging,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

export const documentAnswer = (document: StoredDocument) => ({ ...document, number: masked(document.number) });

/** Masks a short number completely, because four characters would be most of it. */
function masked(number: string): string {
  const shown = number.length > 6 ? number.slice(-4) : "";
  return `****${shown}`;
}

/** Compares names without case, accents, punctuation and spaces: O’Neil is ONEIL. */
export const plainName = (name: string) =>
  name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

/**
 * Whether the names that a partner sent can be those on record. A first name may be shortened, an initial, or followed by
 * a middle name; the last name may carry the suffix. A name that was not sent differs from nothing.
 */
export function isSameName(
  sent: { first_name?: string; last_name?: string },
  { first_name, last_name, suffix }: Pick<PatientRecord, "first_name" | "last_name" | "suffix">,
): boolean {
  const first = plainName(sent.first_name ?? first_name);
  const known = plainName(first_name);
  const starts =
    first === known || (first !== "" && known.startsWith(first)) || (known !== "" && first.startsWith(known));
  const lasts = [last_name, `${last_name}${suffix ?? ""}`].map(plainName);
  return starts && lasts.includes(plainName(sent.last_name ?? last_name));
}

/** Whether a change concerns what the safety checks read: everything but contacts, addresses and documents. */
function hasOtherSafetyFacts(before: PatientRecord, after: PatientRecord): boolean {
  const facts = (record: PatientRecord) =>
    JSON.stringify(Object.entries(record).filter(([name]) => !COMPARED_APART.has(name)));
  return facts(before) !== facts(after) || safetyFactsChanged(before.patient_safety, after.patient_safety);
}

/** Whether a change concerns what any check of an order reads: safety facts, or whether there is an email (65). */
export const hasOtherCheckedFacts = (before: PatientRecord, after: PatientRecord): boolean =>
  (before.email === null) !== (after.email === null) || hasOtherSafetyFacts(before, after);

const COMPARED_APART: ReadonlySet<string> = new Set([
  "patient_safety",
  "email",
  "phone",
  "addresses",
  "next_address_id",
  "identity_documents",
  "next_document_id",
  "messaging",
] satisfies (keyof PatientRecord)[]);

/** Without case, accents and punctuation, but word by word: 1 12th St is not 11 2th St. */
export const plainWords = (text: string) =>
  text
    .normalize("NFKD")
    .replaceAll(/[\p{M}'\u2019.]/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** The search keys of a person, which the blind indexes hash. */
export const searchKeys = {
  name_dob: ({ first_name, last_name, dob }: Pick<PatientRecord, "first_name" | "last_name" | "dob">) =>
    `${plainName(last_name)} ${plainName(first_name)} ${dob}`,
  surname: (last_name: string) => plainName(last_name),
  dob: (dob: string) => dob,
  email: (email: string) => email.trim().toLowerCase(),
  phone: (phone: string) => phone.replaceAll(/\D/g, "").slice(-10),
};

/** Creates a patient from a prescription. */
export function newPatientRecord({ patient, ...rest }: PrescribedNews, now: Date): ReturnType<typeof withNews> {
  const empty: PatientRecord = {
    first_name: patient.first_name ?? "",
    last_name: patient.last_name ?? "",
    middle_name: patient.middle_name,
    suffix: patient.suffix,
    dob: patient.dob ?? "",
    gender: patient.gender === "U" ? null : patient.gender,
    email: null,
    phone: null,
    patient_safety: emptySafety,
    addresses: [],
    next_address_id: 1,
    identity_documents: [],
    next_document_id: 1,
  };
  return withNews(empty, { patient, ...rest }, now);
}

/**
 * Adds a prescription's new data to a known patient: missing contacts, and an address and safety facts that are not on
 * file. Overwrites nothing, and never changes names or the date of birth. `complete` is false if a safety fact did not
 * fit the record. The weight is the exception: it changes, and the newest one counts.
 */
export function withNews(
  record: PatientRecord,
  { patient, allergies, diagnoses }: PrescribedNews,
  now: Date,
): { record: PatientRecord; changed: boolean; complete: boolean } {
  const address = shippable(patient);
  const isNew = address !== undefined && !record.addresses.some((one) => addressKey(one) === addressKey(address));
  const { safety: patient_safety, fits: complete } = prescribedFacts(
    record.patient_safety,
    { patient, allergies, diagnoses },
    now,
  );
  const news: PatientRecord = {
    ...record,
    email: record.email ?? patient.email,
    phone: record.phone ?? patient.phone,
    gender: record.gender ?? (patient.gender === "U" ? null : patient.gender),
    ...(patient.weight_kg !== undefined && { weight_kg: patient.weight_kg }),
    patient_safety,
    addresses: isNew
      ? [
          ...record.addresses,
          { ...address, address_id: record.next_address_id, default: record.addresses.length === 0 },
        ]
      : record.addresses,
    next_address_id: record.next_address_id + (isNew ? 1 : 0),
  };
  return { record: news, changed: JSON.stringify(news) !== JSON.stringify(record), complete };
}

/** A message without medications or conditions says nothing about them. Only allergies can be stated as none. */
function prescribedFacts(
  known: SafetyRecord,
  { patient: { medications, health_conditions }, allergies, diagnoses }: PrescribedNews,
  at: Date,
): ReturnType<typeof withTexts> {
  const told = { source: "prescriber", at } as const;
  const base = allergies === "none" ? withNone(known, "allergy", told) : known;
  const texts = typeof allergies === "string" ? [] : allergies.map(({ text }) => text);
  const one = withTexts(base, "allergy", texts, told);
  const two = withTexts(one.safety, "medication", medications, told);
  const three = withTexts(two.safety, "condition", [...health_conditions, ...diagnoses.flatMap(diagnosisText)], told);
  return { safety: three.safety, fits: one.fits && two.fits && three.fits };
}

type PrescribedNews = Pick<IncomingPrescription, "patient" | "allergies" | "diagnoses">;

/** A code of another system says nothing without its description. */
function diagnosisText({ code, system, description }: IncomingPrescription["diagnoses"][number]): string[] {
  const is_icd10 = (system === null || /icd-?10/i.test(system)) && ICD10.test(code);
  if (description === null) return is_icd10 ? [code] : [];
  return [is_icd10 ? `${description} (${code})` : description];
}

const ICD10 = /^[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?$/i;

/** A complete address. An incomplete one stays with the prescription, where exception 66 reports it. */
function shippable(patient: IncomingPatient): Omit<PatientAddress, "address_id" | "default"> | undefined {
  const { first_name, last_name, address, phone } = patient;
  if (address === null || first_name === null || last_name === null) return undefined;
  const { street1, street2, city, state, zip } = address;
  if (street1 === null || city === null || state === null || zip === null) return undefined;
  return { first_name, last_name, street1, street2, city, state, zip, phone };
}

const addressKey = ({ street1, street2, city, state, zip }: Omit<PatientAddress, "address_id" | "default">) =>
  [street1, street2 ?? "", city, state, zip.slice(0, 5)].map(plainWords).join("|");
