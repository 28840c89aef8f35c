import type { DrugSchedule } from "@pestle/contract";

/** What an order is checked on. */
export type SafetyFacts = {
  items: readonly SafetyItem[];
  /** Other orders of the patient: what is on the way, and what was sent lately. */
  fills: readonly SafetyFill[];
  /** As the patient's record has them, in anybody's words. */
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
};
type SafetyFill = {
  order_number: string;
  ingredients: readonly string[];
  gcn: string | null;
  /** null: an open order on its way. */
  shipped_at: Date | null;
  days_supply: number | null;
};
