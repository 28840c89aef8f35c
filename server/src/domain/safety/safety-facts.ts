import type { DrugSchedule } from "@pestle/contract";

/** The input of the safety check. */
export type SafetyFacts = {
  items: readonly SafetyItem[];
  /** Other open or recently shipped orders of the patient. */
  fills: readonly SafetyFill[];
  /** As in the patient's record, free text. */
  allergies: readonly string[];
  medications: readonly string[];
  conditions: readonly string[];
  patient: SafetyPatient;
  now: Date;
};
/** Null is unknown, and finds nothing by itself. */
export type SafetyPatient = { dob: string | null; gender: "M" | "F" | null; weight_kg: number | null };
export type SafetyItem = {
  item_id: number;
  ingredients: readonly string[];
  /** Name and strength of the dispensed product, as text. */
  drug: string;
  /** false for a product such as a pouch or an organizer. */
  is_drug: boolean;
  gcn: string | null;
  /** The directions; null for an item without a prescription. */
  sig_text: string | null;
  /** The units that `days_supply` refers to: one fill as written. */
  units: number | null;
  days_supply: number | null;
  drug_schedule: DrugSchedule;
  /** Tell the rest of a partial fill from a refill: the prescription, and how much of it this order takes. */
  prescription_id?: number | null;
  ordered_units?: number;
};
type SafetyFill = {
  order_number: string;
  prescription_id?: number | null;
  ingredients: readonly string[];
  gcn: string | null;
  /** null: an open order. */
  shipped_at: Date | null;
  days_supply: number | null;
  /** The dispensed units, and the quantity of one fill as written. */
  units?: number;
  written_qty?: number | null;
};

/** The patient as the check needs it. "Neither" is no sex that a label speaks of. */
export const patientFacts = ({ dob, gender, weight_kg }: KnownPatient): SafetyPatient => ({
  dob: dob === "" ? null : dob,
  gender: gender === "M" || gender === "F" ? gender : null,
  weight_kg: weight_kg ?? null,
});
type KnownPatient = { dob: string; gender: string | null; weight_kg?: number };
