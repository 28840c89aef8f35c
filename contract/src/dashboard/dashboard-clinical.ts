import type { ExceptionId } from "../exceptions.ts";
import type { genders, SafetyKind, SafetySource, SafetyStatus } from "../fields.ts";
import type { OrderStatus } from "../lifecycle.ts";
import type { OverrideCode } from "../override-reasons.ts";
import type { SafetyEntry } from "../resources.ts";
import type { DashboardFinding } from "./dashboard-order.ts";

/** What a pharmacist judges an order by, under `/web/dashboard`. Times are ISO 8601. */

/**
 * GET /dashboard/orders/{account_id}/{order_number}/clinical (pharmacist, lead). It identifies no one: no name, no birth date,
 * no address. The server audits the view. The checks run for the answer, as they run again before the approval.
 */
export type ClinicalReview = {
  patient: ClinicalPatient;
  facts: ClinicalFacts[];
  /** The newest fills of the patient at this partner, without this order. */
  fills: ClinicalFill[];
  /** Whether there are older fills. */
  more_fills: boolean;
  /** The version of the safety tables; null if they are unusable and nothing was checked. */
  tables_version: string | null;
  checked_at: string;
  checks: ClinicalCheck[];
  findings: ClinicalFinding[];
  overrides: ClinicalOverride[];
  lines: ClinicalLine[];
};

/** Null is unknown. */
export type ClinicalPatient = {
  age: number | null;
  sex: (typeof genders)[number] | null;
  weight_kg: number | null;
};

/** Allergies, medications or conditions. `none`: who said that there are none, and when. */
export type ClinicalFacts = {
  kind: SafetyKind;
  status: SafetyStatus;
  entries: SafetyEntry[];
  none: { by: SafetySource; at: string } | null;
};

export type ClinicalFill = {
  order_number: string;
  order_status: OrderStatus;
  name: string;
  units: number;
  days_supply: number | null;
  ordered_at: string;
  /** Null while the order is open. */
  shipped_at: string | null;
  /** When the patient will have used it up, if it has shipped. */
  supply_ends_at: string | null;
  /** Whether the patient still has some, or will receive it. */
  active: boolean;
};

/** The checks of the safety engine, and the kinds of findings that each one makes. */
export const clinicalChecks = {
  allergy: { name: "Allergies", finds: ["allergy"] },
  interaction: { name: "Interactions", finds: ["interaction"] },
  duplicate: { name: "Duplicate therapy", finds: ["duplicate_therapy"] },
  refill: { name: "Early refill", finds: ["refill_too_soon"] },
  condition: { name: "Conditions", finds: ["condition"] },
  age_and_sex: { name: "Age and sex", finds: ["age", "sex"] },
  dose: { name: "Dose and weight", finds: ["dose"] },
  directions: { name: "Directions and quantity", finds: ["sig"] },
  unknown: { name: "Unknown names", finds: ["unknown_drug"] },
} as const satisfies Record<string, { name: string; finds: readonly string[] }>;
export type ClinicalCheckName = keyof typeof clinicalChecks;
export const clinicalCheckNames = Object.keys(clinicalChecks) as [ClinicalCheckName, ...ClinicalCheckName[]];

/** Why a check is incomplete. */
export const checkGaps = {
  tables_unusable: "The safety tables are unusable. Check by hand.",
  allergies_not_asked: "No one asked the patient about allergies.",
  medications_not_asked: "No one asked the patient about other medications.",
  conditions_not_asked: "No one asked the patient about conditions.",
  age_unknown: "The age is unknown.",
  sex_unknown: "The sex is unknown, and a rule for this drug depends on it.",
  weight_unknown: "The weight is unknown, and a rule for this drug depends on it.",
  directions_unread: "The service could not read the directions. Compute the dose by hand.",
} as const;
export type CheckGap = keyof typeof checkGaps;

export type ClinicalCheck = {
  check: ClinicalCheckName;
  /** How many entries or fills it compared the order with; null if it compares the order with the patient only. */
  compared: number | null;
  findings: number;
  gaps: CheckGap[];
  /** The tables that it uses, with their number of rows. */
  tables: { name: string; rows: number }[];
};

/** `version`: of the tables that found it. `overridden`: a pharmacist has accepted it for this order. */
export type ClinicalFinding = DashboardFinding & { version: string; overridden: boolean };

export type ClinicalOverride = {
  at: string;
  who: string | null;
  license_number: string | null;
  exception_ids: ExceptionId[];
  code: OverrideCode | null;
  reason: string;
  /** Whether the signed text is unchanged. */
  signature_holds: boolean;
};

/** An item with its directions as the service reads them, and who prescribed it. */
export type ClinicalLine = {
  item_id: number;
  name: string;
  /** Null for an item without a prescription. */
  sig_text: string | null;
  daily: DailyDose | null;
  prescriber: { name: string; phone: string | null; fax: string | null } | null;
};

export type AmountRange = { min: number; max: number };
/** Why the service could not read directions. */
export const sigFaults = {
  blank: "There are no directions.",
  too_long: "The directions are too long.",
  not_understood: "The service does not understand a word of the directions.",
  contradictory: "The directions contradict themselves.",
  no_dose: "The directions give no dose.",
  no_frequency: "The directions do not say how often.",
  mixed_units: "The directions mix units.",
} as const;
export type SigFaultName = keyof typeof sigFaults;

export type DailyDose =
  | {
      read: true;
      per_day: AmountRange;
      /** Singular, such as `tablet` or `mL`. */
      unit: string;
      doses_per_day: AmountRange;
      as_needed: boolean;
      /** What it adds up to for each ingredient whose strength is known. */
      ingredients: (AmountRange & { name: string; unit: "mg" | "unit" | "meq" })[];
      /** How long the quantity of this order lasts, in days; null if it is not counted in these units. */
      lasts_days: AmountRange | null;
    }
  | { read: false; why: SigFaultName };
