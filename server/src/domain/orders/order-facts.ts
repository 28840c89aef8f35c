import type { Address, ErrorEntry, Workflow } from "@pestle/contract";
import type { Formulary, FormularyProduct } from "../catalogue/formulary.ts";
import type { Prescription } from "../intake/prescription.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import type { SafetyState } from "../safety/assess-safety.ts";
import type { Verdict } from "../values/address/verdict.ts";
import { startOfDay } from "../values/calendar.ts";
import type { ItemDraft } from "./item-draft.ts";
import type { OrderDraft } from "./order-draft.ts";

/** Everything an order decision depends on: the request, the loaded data, and the time. */
export type OrderFacts = {
  draft: OrderDraft;
  account: { account_id: string; workflow: Workflow; custom_labels: boolean };
  formulary: Formulary;
  /** null: unknown, or another account's. */
  patient: { patient_id: string; record: PatientRecord } | null;
  prescriptions: ReadonlyMap<number, PrescriptionFact>;
  stock: ReadonlyMap<string, number>;
  /** The patient's open orders and current medications. */
  fills: readonly Fill[];
  safety: SafetyState;
  ship_to: ShipTo;
  now: Date;
  today: string;
  name_characters: number;
};

/** A prescription as an order uses it. */
export type PrescriptionFact = Omit<Prescription, "acceptance_reasons"> & {
  prescription_id: number;
  patient_id: string;
  active: boolean;
  acceptance: "not_needed" | "pending" | "accepted" | "rejected";
  units_ordered: number;
  order_errors: ErrorEntry[];
};

/** Can be filled now. Units and expiry have their own codes. */
export function isFillable(
  { active, acceptance, effective_date }: PrescriptionFact,
  { time_zone, now }: { time_zone: string; now: Date },
): boolean {
  const accepted = acceptance === "not_needed" || acceptance === "accepted";
  return active && accepted && startOfDay(time_zone, effective_date) <= now;
}

/** One item of another order of the patient. `shipped_at` is null while that order is open. */
export type Fill = {
  order_number: string;
  prescription_id: number | null;
  gcn: string | null;
  /** The product's ingredients, also if it is no longer offered. */
  ingredients: string[];
  /** For the units of the item, not for the quantity as written. */
  days_supply: number | null;
  shipped_at: Date | null;
};

/** The shipping address. `verdict` is null if the address was sent with `ignore_warnings`, which skips validation. */
export type ShipTo = {
  from: "request" | "prescription" | "patient" | "nowhere";
  address: Address | null;
  verdict: Verdict | null;
};

/** An item with its product. An unknown value is null and is reported elsewhere. */
export type ResolvedItem = {
  draft: ItemDraft;
  /** The patient's own. If the patient is unknown, any prescription of the account. */
  prescription: PrescriptionFact | null;
  /** Each field that names a product, the most specific first. */
  names: readonly NamedProduct[];
  product: FormularyProduct | null;
  /** The product that the prescription names. */
  written_product: FormularyProduct | null;
  needs_prescription: boolean;
  package_size: number;
  units: number;
};
/** `product` is null if the formulary has no match. */
export type NamedProduct = { field: "sku" | "product_selection" | "ndc" | "gcn"; product: FormularyProduct | null };
