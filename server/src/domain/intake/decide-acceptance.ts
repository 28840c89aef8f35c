import type { DrugSchedule, Workflow } from "@pestle/contract";
import { startOfDay } from "../values/calendar.ts";

export type Verdict = "accepted" | "rejected";

/** A prescription that needs a verdict. */
export type DoubtfulPrescription = {
  acceptance: "not_needed" | "pending" | Verdict;
  active: boolean;
  effective_date: string;
  workflow: Workflow;
  drug_schedule: DrugSchedule;
};

/** Why a verdict is not possible, as shown to the user. */
export const acceptanceRefusals = {
  not_needed: "This prescription does not need acceptance.",
  accepted: "This prescription was already accepted.",
  rejected: "This prescription was already rejected.",
  undocumented: "A schedule 2 prescription needs a note of what you checked (21 CFR 1306.11).",
  ended: "The prescriber has ended this prescription, so it cannot be accepted. Reject it to close the review.",
} as const;

/**
 * Applies a pharmacist's verdict. Under Automatic Processing an accepted prescription is due for an order now, or on
 * its effective date. Otherwise the partner requests the order.
 */
export function decideAcceptance(
  verdict: Verdict,
  { acceptance, active, effective_date, workflow, drug_schedule }: DoubtfulPrescription,
  time_zone: string,
  now: Date,
  documented: boolean,
): { order_due_at: Date | null } | { refused: keyof typeof acceptanceRefusals } {
  if (acceptance !== "pending") return { refused: acceptance };
  if (verdict === "rejected") return { order_due_at: null };
  if (!active) return { refused: "ended" };
  if (drug_schedule === "2" && !documented) return { refused: "undocumented" };
  if (workflow !== "automatic") return { order_due_at: null };
  const effective = startOfDay(time_zone, effective_date);
  return { order_due_at: effective > now ? effective : now };
}
