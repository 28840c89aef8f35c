import type { PatientSafety } from "@pestle/contract";
import { assessSafety } from "../safety/assess-safety.ts";
import type { SafetyData } from "../safety/data.ts";
import { type SafetyFinding, unavailableFinding } from "../safety/finding.ts";

/** The safety engine as it is right now: its tables, or why it cannot be relied on. */
export type SafetyState = { data: SafetyData } | { unfit: readonly string[] };

type AssessedOrder = Omit<Parameters<typeof assessSafety>[1], "allergies" | "medications"> & {
  patient_safety: PatientSafety;
};

/** What the safety engine says of an order. Unfit, it takes nothing for safe: the order is held for a pharmacist. */
export function orderFindings(safety: SafetyState, { patient_safety, ...order }: AssessedOrder): SafetyFinding[] {
  if ("unfit" in safety) return [unavailableFinding()];
  const { allergies, medications } = patient_safety;
  return assessSafety(safety.data, { ...order, allergies, medications });
}
