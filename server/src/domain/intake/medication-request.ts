import type {
  Acceptance,
  ErrorEntry,
  MedicationDispense,
  MedicationRequest,
  ReceivedPrescription,
  Workflow,
} from "@pestle/contract";
import type { PartialFill } from "../fulfillment/controlled-rules.ts";
import { type FillRules, fillability } from "../orders/fillability.ts";
import type { PrescriptionFact } from "../orders/order-facts.ts";
import { errorEntries } from "../values/error-entries.ts";
import { type Prescription, refillsLeft } from "./prescription.ts";

export type PrescriptionFacts = Omit<
  Prescription,
  "acceptance_reasons" | "prescriber_npi" | "prescriber_dea" | "unit"
> & {
  prescription_id: number;
  patient_id: string;
  active: boolean;
  units_ordered: number;
  order_errors: ErrorEntry[];
  acceptance: Acceptance;
  /** Only of schedule 2: the law limits the time for the rest of a partial fill. */
  partial?: PartialFill | null;
};

/** A prescription in the wire format. The checks read no field that `PrescriptionFacts` lacks. */
export function medicationRequest(
  row: PrescriptionFacts,
  workflow: Workflow,
  rules: FillRules,
  medication_dispenses: MedicationDispense[] = [],
): MedicationRequest {
  const { fillable, not_fillable } = fillability(row as PrescriptionFact, workflow, rules);
  return { ...asReceived(row, workflow), fillable, not_fillable, medication_dispenses };
}

/** The same without what depends on the time, the catalogue and the orders. */
export function asReceived(row: PrescriptionFacts, workflow: Workflow): ReceivedPrescription {
  return {
    id: row.prescription_id,
    prescription_id: row.prescription_id,
    active: row.active,
    patient_id: row.patient_id,
    prescriber_name: row.prescriber_name,
    prescriber_phone: row.prescriber_phone,
    prescriber_fax: row.prescriber_fax,
    receive_date: row.received_at.toISOString(),
    expire_date: row.expires_at.toISOString(),
    written_date: row.written_date,
    effective_date: row.effective_date,
    drug_name: row.drug_name,
    ndc: row.ndc,
    gcn: row.gcn,
    sig_text: row.sig_text,
    written_qty: row.written_qty,
    days_supply: row.days_supply,
    refills_left: refillsLeft(row),
    drug_schedule: row.drug_schedule,
    daw: row.daw,
    acceptance: row.acceptance,
    ...(workflow === "automatic" ? { order_errors: orderErrors(row) } : {}),
  };
}

/** Why it has no order: the errors when the order was due, or a missing acceptance. */
function orderErrors({ active, acceptance, order_errors }: PrescriptionFacts): ErrorEntry[] {
  const unaccepted = active && (acceptance === "pending" || acceptance === "rejected");
  return unaccepted ? errorEntries([{ code: 42249, field: "items[0].prescription_id" }]) : order_errors;
}
