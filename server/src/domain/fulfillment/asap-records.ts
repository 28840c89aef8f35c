import type { payers } from "@pestle/contract";
import type { PatientRecord, StoredDocument } from "../patients/patient-record.ts";
import type { PharmacyFacts } from "./documents.ts";

export type AsapHeader = {
  /** The sender's own number of this report: never the same twice. */
  control_number: string;
  /** `YYYY-MM-DD` and `HH:MM:SS` where the pharmacy is. */
  created_date: string;
  created_time: string;
  test: boolean;
  pharmacy: PharmacyFacts;
  /** The days reported on, first and last; told where there was nothing to report. */
  period: { from: string; to: string } | null;
};

/** One fill of a controlled substance. Dates are the pharmacy's. */
export type DispensedRecord = {
  reporting_status: "new" | "revised" | "void";
  patient: Pick<PatientRecord, "first_name" | "last_name" | "middle_name" | "suffix" | "dob" | "gender" | "phone">;
  address: { street1: string; street2: string | null; city: string; state: string; zip: string };
  document: Pick<StoredDocument, "type" | "issuing_country" | "issuing_state" | "number"> | null;
  prescription_id: number;
  written_date: string;
  /** Refills the prescriber allowed, and which of them this is: 0 is the first fill. */
  refills: number;
  refill_number: number;
  filled_date: string;
  /** The day it left for the patient. */
  sold_date: string | null;
  ndc: string;
  units: number;
  unit: string | null;
  days_supply: number | null;
  written_qty: number;
  sig_text: string;
  payer: (typeof payers)[number];
  prescriber_name: string;
  prescriber_npi: string | null;
  prescriber_dea: string | null;
  prescriber_phone: string | null;
};
