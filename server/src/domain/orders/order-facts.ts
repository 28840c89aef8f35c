import type { Acceptance, Address, DrugSchedule, ErrorEntry, ExceptionId, Workflow } from "@pestle/contract";
import type { Formulary, FormularyProduct } from "../catalogue/formulary.ts";
import { hasLapsed, type PartialFill } from "../fulfillment/controlled-rules.ts";
import type { Prescription } from "../intake/prescription.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import type { SafetyState } from "../safety/assess-safety.ts";
import type { Verdict } from "../values/address/verdict.ts";
import { addMonths, startOfDay } from "../values/calendar.ts";
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
  acceptance: Acceptance;
  units_ordered: number;
  order_errors: ErrorEntry[];
  /** Only of schedule 2: the law limits the time for the rest of a partial fill. */
  partial?: PartialFill | null;
};

/** Can be filled now. Units and expiry have their own codes. */
export function isFillable(
  prescription: PrescriptionFact,
  { time_zone, now }: { time_zone: string; now: Date },
): boolean {
  return isInForce(prescription) && startOfDay(time_zone, prescription.effective_date) <= now;
}

/** Neither canceled, replaced nor rejected, and accepted if it needs a pharmacist's acceptance. */
const isInForce = ({ active, acceptance }: Pick<PrescriptionFact, "active" | "acceptance">): boolean =>
  active && (acceptance === "not_needed" || acceptance === "accepted");

/** 21 CFR 1306.22(a): schedules III and IV, at most six months after the date of issue. */
const SIX_MONTHS: ReadonlySet<DrugSchedule> = new Set<DrugSchedule>(["3", "4"]);

type Dated = Pick<PrescriptionFact, "expires_at" | "written_date" | "drug_schedule">;

/**
 * Whether the prescription has expired. The six months also apply if only the product is controlled, because a schedule
 * can change after the prescription arrived.
 */
export function hasExpired(
  { expires_at, written_date, drug_schedule }: Dated,
  product: { drug_schedule: DrugSchedule } | null,
  { now, today }: { now: Date; today: string },
): boolean {
  if (expires_at <= now) return true;
  const limited = SIX_MONTHS.has(drug_schedule) || (product !== null && SIX_MONTHS.has(product.drug_schedule));
  return limited && today > addMonths(written_date, 6);
}

/** The prescriber or the pharmacy ended it, or it has expired: no step may bring its drug nearer to the patient. */
export const hasEnded = (
  prescription: Dated & Pick<PrescriptionFact, "active" | "acceptance" | "partial">,
  product: { drug_schedule: DrugSchedule } | null,
  at: { now: Date; today: string },
): boolean => !isInForce(prescription) || hasExpired(prescription, product, at) || hasLapsed(prescription, at);

/** One item of another order of the patient. `shipped_at` is null while that order is open. */
export type Fill = {
  order_number: string;
  prescription_id: number | null;
  gcn: string | null;
  /** The product's ingredients, also if it is no longer offered. */
  ingredients: string[];
  /** The units of the item, and the quantity of one fill as written. */
  units: number;
  written_qty: number | null;
  /** For the units of the item, not for the quantity as written. */
  days_supply: number | null;
  shipped_at: Date | null;
  /** Known when an order changes: when the other order was placed, and what holds it. */
  ordered_at?: Date;
  held_by?: readonly ExceptionId[];
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
