import type { DescriptionCode } from "./intake-refusals.ts";
import type { WarningCode } from "./intake-warnings.ts";

/**
 * A message as a reader (SCRIPT or FHIR) understood it, in our own terms. Readers accept any format; all later code
 * sees only this type. Strings are trimmed and never empty. Absent values are null.
 */
export interface IncomingMessage {
  envelope: Envelope;
  content: Content;
  /** In the order of detection, each code at most once per path. */
  warnings: Warning[];
}

/** Enough to answer the sender and to recognize a repeated message, even if the content is unreadable. */
export interface Envelope {
  format: "script" | "fhir" | "simulation";
  /** `10.6`, `2017071`, `2023011`, `R4`; null if the sender did not say. */
  version: string | null;
  /** The sender's ID as sent. For FHIR the Bundle's source, else null. */
  from: string | null;
  from_qualifier: string | null;
  /** The receiver's ID: an `ncpdp_id`. */
  to: string | null;
  to_qualifier: string | null;
  message_id: string | null;
  relates_to_message_id: string | null;
  /** ISO 8601 UTC with milliseconds, or null if it was absent or invalid. */
  sent_time: string | null;
  prescriber_order_number: string | null;
  test_message: boolean;
  /** The sender requested a delivery confirmation: the answer is a Verify, not a Status. */
  return_receipt: boolean;
}

export type Content =
  | { kind: "new"; prescription: IncomingPrescription }
  | { kind: "cancel"; discontinue: boolean; target: CancelTarget }
  | {
      kind: "renewal" | "change";
      response: ResponseKind;
      reason_codes: string[];
      note: string | null;
      /**
       * Absent on a denial, present on `replace`. Other approvals can omit it: then the prescription stays as written.
       * (approved, approved_with_changes, replace and validated are fillable.)
       */
      prescription: AnsweredPrescription | null;
    };

export type ResponseKind =
  | "approved"
  | "approved_with_changes"
  | "replace"
  | "validated"
  | "denied"
  | "denied_new_prescription_to_follow"
  /** Not decided yet: another answer follows (2023011). */
  | "pending";

/** How a CancelRx identifies its prescription: by message ID or order number, else by the other fields. */
export interface CancelTarget {
  patient: IncomingPatient | null;
  prescriber_npi: string | null;
  drug_description: string | null;
  drug_codes: DrugCode[];
  written_date: string | null;
}

export interface IncomingPrescription {
  patient: IncomingPatient;
  prescriber: IncomingPrescriber;
  drug: IncomingDrug;
  /** null only on responses that take it from the prescription they renew. */
  quantity: IncomingQuantity | null;
  days_supply: number | null;
  /** Refills after the first fill. `prn` = until expiry; null if absent. */
  refills: number | "prn" | null;
  /** The prescriber forbids substitution. */
  daw: boolean;
  sig_text: string | null;
  note: string | null;
  diagnoses: { code: string; system: string | null; description: string | null }[];
  /** `unknown`: the sender said nothing, which is not "none". */
  allergies: "unknown" | "none" | IncomingAllergy[];
  /** Calendar dates, YYYY-MM-DD. */
  written_date: string | null;
  effective_date: string | null;
  expiration_date: string | null;
  /** The message carries evidence of an electronic signature for controlled substances. */
  signature_evidence: boolean;
  prior_authorization: string | null;
  /** The fill notices that the sender requests, as sent. */
  fill_indicator: string | null;
  /** The prescriber wants no requests for renewal. Absent: they may be sent. */
  prohibits_renewal?: boolean;
  order_group: { number: string; item: number | null; total: number | null } | null;
  /** Only a simulation can set these. Normally our own rules determine them. */
  exactly?: { received_at?: Date; expires_at?: Date; gcn?: string | null };
}

/** The content of a response. Patient and prescriber can come from the prescription it answers. */
export interface AnsweredPrescription extends Omit<IncomingPrescription, "patient" | "prescriber"> {
  patient: IncomingPatient | null;
  prescriber: IncomingPrescriber | null;
}

export interface IncomingPatient {
  /** The prescriber system's own IDs, best first (EHR medical record number, account number, mutually defined). */
  ids: { kind: PatientIdKind; value: string }[];
  /** Our own ID. Only a simulation knows it, and it is authoritative. */
  meant_patient_id?: string;
  last_name: string | null;
  first_name: string | null;
  middle_name: string | null;
  suffix: string | null;
  dob: string | null;
  /** `U` means "not known". Never convert it to `N`. */
  gender: "M" | "F" | "N" | "U" | null;
  address: IncomingAddress | null;
  /** Digits only; ten if the number is North American. */
  phone: string | null;
  email: string | null;
  medications: string[];
  health_conditions: string[];
  /** Absent if the message has none, or an impossible one. */
  weight_kg?: number;
}

export type PatientIdKind = "medical_record" | "account" | "mutually_defined" | "other";

export interface IncomingAddress {
  street1: string | null;
  street2: string | null;
  city: string | null;
  /** Two letters if recognized, else as sent. */
  state: string | null;
  /** `12345` or `12345-6789` if recognized, else as sent. */
  zip: string | null;
  country: string | null;
}

export interface IncomingPrescriber {
  last_name: string | null;
  first_name: string | null;
  /** Business or clinic name. */
  practice: string | null;
  npi: string | null;
  dea: string | null;
  state_license: string | null;
  phone: string | null;
  fax: string | null;
  address: IncomingAddress | null;
}

export interface IncomingDrug {
  description: string;
  codes: DrugCode[];
  strength: string | null;
  /** 2 to 5, 0 for "not scheduled", null if the sender did not say. */
  schedule: "0" | "2" | "3" | "4" | "5" | null;
}

/** A bare `ndc` is as sent without spaces. A dashed one keeps its dashes for `normaliseNdc`. */
export interface DrugCode {
  system: "ndc" | "rxnorm" | "gcn" | "upc" | "snomed" | "other";
  code: string;
}

export interface IncomingQuantity {
  /** At most three decimals. Keeps zero, which a person reviews. */
  value: number;
  /** A unit of `quantity-units.ts`, in lower case (`tablet`, `milliliter`, …), or null. */
  unit: string | null;
}

export interface IncomingAllergy {
  text: string;
  codes: DrugCode[];
  reaction: string | null;
  severity: string | null;
}

export interface Warning {
  code: WarningCode;
  /** The location in the message, by element names. Never contains a value. */
  path: string | null;
}

/** Why a message is rejected: SCRIPT's own codes, which the FHIR answer maps to issue codes. */
export interface IntakeRefusal {
  code: "601" | "602" | "900";
  description_code: DescriptionCode;
  /** Other problems, so that a sender can fix all at once. SCRIPT allows ten codes. */
  also?: readonly DescriptionCode[];
  /** Where the first problem is, by element names, if the code does not imply it. */
  path?: string;
}

export type ReadMessage =
  | { ok: true; message: IncomingMessage }
  | { ok: false; refusal: IntakeRefusal; envelope: Envelope | null; warnings: Warning[] };
