import type { Address, ErrorEntry, Workflow } from "@pestle/contract";
import type { Formulary, FormularyProduct } from "../catalogue/formulary.ts";
import type { Prescription } from "../intake/prescription.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import type { SafetyState } from "../safety/assess-safety.ts";
import type { Verdict } from "../values/address/verdict.ts";
import { startOfDay } from "../values/calendar.ts";
import type { ItemDraft } from "./item-draft.ts";
import type { OrderDraft } from "./order-draft.ts";

/** Everything that an order is decided on: the request, what was loaded, and the time. */
export type OrderFacts = {
  draft: OrderDraft;
  account: { account_id: string; workflow: Workflow; custom_labels: boolean };
  formulary: Formulary;
  /** null: unknown, or another account's. */
  patient: { patient_id: string; record: PatientRecord } | null;
  prescriptions: ReadonlyMap<number, PrescriptionFact>;
  stock: ReadonlyMap<string, number>;
  /** What the patient has on the way, or still takes. */
  fills: readonly Fill[];
  safety: SafetyState;
  ship_to: ShipTo;
  now: Date;
  today: string;
  name_characters: number;
};

/** A prescription as an order sees it. */
export type PrescriptionFact = Omit<Prescription, "acceptance_reasons"> & {
  prescription_id: number;
  patient_id: string;
  active: boolean;
  acceptance: "not_needed" | "pending" | "accepted" | "rejected";
  units_ordered: number;
  order_errors: ErrorEntry[];
};

/** May be filled by now; units and expiry have codes of their own. */
export function isFillable(
  { active, acceptance, effective_date }: PrescriptionFact,
  { time_zone, now }: { time_zone: string; now: Date },
): boolean {
  const accepted = acceptance === "not_needed" || acceptance === "accepted";
  return active && accepted && startOfDay(time_zone, effective_date) <= now;
}

/** One item of another order of the patient; `shipped_at` is null while that order is open. */
export type Fill = {
  order_number: string;
  prescription_id: number | null;
  gcn: string | null;
  /** Those of the product, also where it is offered no more. */
  ingredients: string[];
  days_supply: number | null;
  shipped_at: Date | null;
};

/** Where the parcel goes. `verdict` is null where nobody asked, because the address was sent with `ignore_warnings`. */
export type ShipTo = {
  from: "request" | "prescription" | "patient" | "nowhere";
  address: Address | null;
  verdict: Verdict | null;
};

/** An item with the product that it means. What could not be found out is null, and a problem elsewhere. */
export type ResolvedItem = {
  draft: ItemDraft;
  /** The patient's own; where the patient is not known, whosever of the account. */
  prescription: PrescriptionFact | null;
  /** Each field that names a product, the most exact first. */
  names: readonly NamedProduct[];
  product: FormularyProduct | null;
  /** The product that the prescription itself is written for. */
  written_product: FormularyProduct | null;
  needs_prescription: boolean;
  package_size: number;
  units: number;
};
/** `product` is null where the formulary has none of that name. */
export type NamedProduct = { field: "sku" | "product_selection" | "ndc" | "gcn"; product: FormularyProduct | null };
