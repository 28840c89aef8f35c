import type { DrugSchedule } from "@pestle/contract";

/** The input of the safety check. */
export type SafetyFacts = {
  items: readonly SafetyItem[];
  /** Other open or recently shipped orders of the patient. */
  fills: readonly SafetyFill[];
  /** As in the patient's record, free text. */
  allergies: readonly string[];
  medications: readonly string[];
  now: Date;
};
export type SafetyItem = {
  item_id: number;
  ingredients: readonly string[];
  gcn: string | null;
  days_supply: number | null;
  drug_schedule: DrugSchedule;
  /** Not false: a pouch or an organizer is never checked. */
  is_drug?: boolean;
};
type SafetyFill = {
  order_number: string;
  ingredients: readonly string[];
  gcn: string | null;
  /** null: an open order. */
  shipped_at: Date | null;
  days_supply: number | null;
};
