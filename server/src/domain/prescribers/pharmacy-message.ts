import type { ChangeCode } from "@pestle/contract";
import type {
  IncomingAddress,
  IncomingDrug,
  IncomingPatient,
  IncomingPrescriber,
  IncomingQuantity,
} from "../intake/incoming-message.ts";

/** A message from the pharmacy to a prescriber, in our own terms. The counterpart of `IncomingMessage`. */
export interface PharmacyMessage {
  envelope: PharmacyEnvelope;
  content: PharmacyContent;
}

/** The versions in which we write to prescribers. 10.6 is read only. */
export const pharmacyVersions = ["2017071", "2023011"] as const;
export type PharmacyVersion = (typeof pharmacyVersions)[number];

export interface PharmacyEnvelope {
  version: PharmacyVersion;
  /** Our `ncpdp_id`. */
  from: string;
  /** The sender of the prescription. */
  to: string;
  message_id: string;
  /** The message that this one is about: the prescription's, or the cancellation's. */
  relates_to_message_id: string | null;
  /** ISO 8601 UTC with milliseconds. */
  sent_time: string;
  test_message: boolean;
  /** Our number of the prescription. */
  rx_reference_number: string | null;
  prescriber_order_number: string | null;
}

/** Whom and what a message is about. */
export interface Treatment {
  patient: IncomingPatient;
  pharmacy: SendingPharmacy;
  prescriber: IncomingPrescriber;
}

export interface SendingPharmacy {
  ncpdp_id: string;
  npi: string | null;
  name: string;
  address: IncomingAddress;
  phone: string;
}

/** A drug as prescribed, as dispensed, or as the pharmacy would like to dispense it. */
export interface PharmacyMedication {
  drug: IncomingDrug;
  quantity: IncomingQuantity | null;
  days_supply: number | null;
  written_date: string | null;
  last_fill_date: string | null;
  daw: boolean;
  refills: number | null;
  note: string | null;
  /** The reason of a drug-use evaluation, such as `DD` or `TD`. */
  service_reason: string | null;
  sig_text: string | null;
  /** The refills that the pharmacy asks for. */
  requested_refills: number | null;
}

export type PharmacyContent =
  | ({ kind: "renewal"; dispensed: PharmacyMedication; prescribed: PharmacyMedication } & Treatment)
  | ({
      kind: "change";
      code: ChangeCode;
      reason: string | null;
      prescribed: PharmacyMedication;
      requested: PharmacyMedication[];
    } & Treatment)
  | ({
      kind: "fill";
      status: FillStatus;
      note: string | null;
      /** Null if nothing was dispensed. */
      dispensed: PharmacyMedication | null;
      prescribed: PharmacyMedication;
    } & Treatment)
  | { kind: "cancel"; approved: boolean; reason_codes: string[]; note: string | null };
export type PharmacyMessageKind = PharmacyContent["kind"];

export const fillStatuses = ["dispensed", "partially_dispensed", "not_dispensed"] as const;
export type FillStatus = (typeof fillStatuses)[number];
