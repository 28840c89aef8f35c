import type { Workflow } from "@pestle/contract";
import { startOfDay } from "../values/calendar.ts";

export type Verdict = "accepted" | "rejected";

/** A doubtful prescription, as far as the verdict on it is concerned. */
export type DoubtfulPrescription = {
  acceptance: "not_needed" | "pending" | Verdict;
  active: boolean;
  effective_date: string;
  workflow: Workflow;
};

/** Why a verdict cannot be given: what whoever gives it reads. */
export const acceptanceRefusals = {
  not_needed: "This prescription needs nobody's acceptance.",
  accepted: "This prescription was accepted already.",
  rejected: "This prescription was rejected already.",
  ended: "The prescriber has ended this prescription, so it cannot be accepted. Reject it to close the entry.",
} as const;

/**
 * What a pharmacist's verdict changes. An accepted prescription of Automatic Processing is due for an order now, or on
 * the day it may first be filled; otherwise the partner asks for the order.
 */
export function decideAcceptance(
  verdict: Verdict,
  { acceptance, active, effective_date, workflow }: DoubtfulPrescription,
  time_zone: string,
  now: Date,
): { order_due_at: Date | null } | { refused: keyof typeof acceptanceRefusals } {
  if (acceptance !== "pending") return { refused: acceptance };
  if (verdict === "rejected") return { order_due_at: null };
  if (!active) return { refused: "ended" };
  if (workflow !== "automatic") return { order_due_at: null };
  const effective = startOfDay(time_zone, effective_date);
  return { order_due_at: effective > now ? effective : now };
}
