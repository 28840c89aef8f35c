import type { DescriptionCode } from "./intake-refusals.ts";
import type { WarningCode } from "./intake-warnings.ts";

/**
 * What a reader (SCRIPT or FHIR) makes of a message, in our own words. Readers take any shape a sender uses; whoever
 * comes after sees only this. Texts are trimmed, never empty; what is absent is null.
 */
export interface IncomingMessage {
  envelope: Envelope;
  content: Content;
  /** In the order they were noticed, each code at most once per path. */
  warnings: Warning[];
}

/** Enough to answer the sender and to know the message again; readable even where the content is not. */
export interface Envelope {
  format: "script" | "fhir" | "simulation";
  /** `10.6`, `2017071`, `2023011`, `R4`; null where the sender did not say. */
  version: string | null;
  /** The sender's id, upper-cased for comparison by nobody: as sent. With FHIR the Bundle's source, else null. */
  from: string | null;
  from_qualifier: string | null;
  /** The receiver's id: an `ncpdp_id`. */
  to: string | null;
  to_qualifier: string | null;
  message_id: string | null;
  relates_to_message_id: string | null;
  /** ISO 8601 UTC with milliseconds, or null where it was absent or not a time. */
  sent_time: string | null;
  prescriber_order_number: string | null;
  test_message: boolean;
  /** The sender asked for a delivery confirmation: the answer is a Verify, not a Status. */
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
       * Never on a refusal; always on `replace`. Another approval may leave it out: then the prescription stands as it
       * was written. (approved, approved_with_changes, replace and validated are fillable.)
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

/** What a CancelRx tells of the prescription it means; matched by message id or order number first, else by the rest. */
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
  /** null only on responses that leave it to the prescription they renew. */
  quantity: IncomingQuantity | null;
  days_supply: number | null;
  /** Refills beyond the first fill. `prn` = until expiry; null where absent. */
  refills: number | "prn" | null;
  /** The prescriber forbids substitution. */
  daw: boolean;
  sig_text: string | null;
  note: string | null;
  diagnoses: { code: string; system: string | null; description: string | null }[];
  /** `unknown`: nothing was said, which is not "none". */
  allergies: "unknown" | "none" | IncomingAllergy[];
  /** Calendar dates, YYYY-MM-DD. */
  written_date: string | null;
  effective_date: string | null;
  expiration_date: string | null;
  /** The message carries evidence of an electronic signature for controlled substances. */
  signature_evidence: boolean;
  prior_authorization: string | null;
  /** Asked for by the sender: which fill notices it wants, as sent. */
  fill_indicator: string | null;
  order_group: { number: string; item: number | null; total: number | null } | null;
  /** Only a simulation can ask for what our own rules decide. */
  exactly?: { received_at?: Date; expires_at?: Date; gcn?: string | null };
}

/** What a response says; who and whose it leaves out are those of the prescription it answers. */
export interface AnsweredPrescription extends Omit<IncomingPrescription, "patient" | "prescriber"> {
  patient: IncomingPatient | null;
  prescriber: IncomingPrescriber | null;
}

export interface IncomingPatient {
  /** The prescriber system's own ids, best first (EHR medical record number, account number, mutually defined). */
  ids: { kind: PatientIdKind; value: string }[];
  /** Our own id: only a simulation knows it, and then nobody else is meant. */
  meant_patient_id?: string;
  last_name: string | null;
  first_name: string | null;
  middle_name: string | null;
  suffix: string | null;
  dob: string | null;
  /** `U` is "not known", which nobody turns into `N`. */
  gender: "M" | "F" | "N" | "U" | null;
  address: IncomingAddress | null;
  /** Digits only, ten of them where the number is North American. */
  phone: string | null;
  email: string | null;
  medications: string[];
  health_conditions: string[];
}

export type PatientIdKind = "medical_record" | "account" | "mutually_defined" | "other";

export interface IncomingAddress {
  street1: string | null;
  street2: string | null;
  city: string | null;
  /** Two letters where it could be told, else as sent. */
  state: string | null;
  /** `12345` or `12345-6789` where it could be told, else as sent. */
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
  /** 2 to 5, 0 for "not scheduled", null where nothing was said. */
  schedule: "0" | "2" | "3" | "4" | "5" | null;
}

/** `ndc` is as sent without dashes and blanks where it was bare; dashed ones are kept dashed, for `normaliseNdc`. */
export interface DrugCode {
  system: "ndc" | "rxnorm" | "gcn" | "upc" | "snomed" | "other";
  code: string;
}

export interface IncomingQuantity {
  /** At most three decimals; zero is kept (a person looks at it). */
  value: number;
  /** One of the units of `units.ts`, in lower case (`tablet`, `milliliter`, …), or null. */
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
  /** Where in the message, by element names; never a value. */
  path: string | null;
}

/** Why a message is not taken: SCRIPT's own numbers, which the FHIR answer maps to issue codes. */
export interface IntakeRefusal {
  code: "601" | "602" | "900";
  description_code: DescriptionCode;
  /** What else is wrong, so that a sender can mend it all at once. SCRIPT has room for ten codes. */
  also?: readonly DescriptionCode[];
}

export type ReadMessage =
  | { ok: true; message: IncomingMessage }
  | { ok: false; refusal: IntakeRefusal; envelope: Envelope | null; warnings: Warning[] };
