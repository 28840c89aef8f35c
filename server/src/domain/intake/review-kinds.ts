import { errors, type ReviewKindName } from "@pestle/contract";
import { cancelNotes } from "./decide-intake.ts";
import { intakeRefusals } from "./intake-refusals.ts";
import { matchReasons } from "./match-patient.ts";
import { acceptanceReasons } from "./prescription.ts";

/**
 * Reviews for pharmacy staff: what happened, how to close the review, and the meaning of its reason codes. All
 * sentences are fixed, so a list of reviews reveals nothing about a patient.
 */
export const reviewKinds = {
  patient_match: {
    says: "A new patient was created who may be the same person as an existing one.",
    closed_by: "resolve",
    reasons: Object.fromEntries(Object.entries(matchReasons).map(([reason, [, sentence]]) => [reason, sentence])),
  },
  prescription_acceptance: {
    says: "A pharmacist must accept this prescription before it can be filled.",
    closed_by: "accept",
    reasons: acceptanceReasons,
  },
  unrouted_message: {
    says: "A message is pending because several accounts could be its receiver.",
    closed_by: "route",
    reasons: { undecided: "Several accounts share the receiver's id, and no routing rule decides." },
  },
  message_id_reused: {
    says: "A message was rejected and kept: an earlier one had the same message id.",
    closed_by: "resolve",
    reasons: { "220": intakeRefusals["220"][1] },
  },
  unmatched_cancel: {
    says: "A prescriber canceled a prescription that could not be identified.",
    closed_by: "resolve",
    reasons: { unknown: cancelNotes.unknown, several: cancelNotes.several },
  },
  canceled_in_filling: {
    says: "A prescriber canceled a prescription that is being filled.",
    closed_by: "resolve",
    reasons: {},
  },
  order_refused: {
    says: "No order could be created from a prescription.",
    closed_by: "resolve",
    reasons: Object.fromEntries(Object.entries(errors).map(([code, [message, , fix]]) => [code, `${message}: ${fix}`])),
  },
  processing_failed: {
    says: "Pestle failed several times to process a stored message.",
    closed_by: "resolve",
    reasons: {},
  },
} as const satisfies Record<ReviewKindName, ReviewKindRow>;

export type ReviewKind = keyof typeof reviewKinds;
type ReviewKindRow = {
  says: string;
  /** The `pestle rx` verb that closes it. */
  closed_by: "accept" | "route" | "resolve";
  reasons: Readonly<Record<string, string>>;
};

/** A code without a table entry is returned as is. */
export function reasonSentence(kind: ReviewKind, reason: string): string {
  const reasons: Readonly<Record<string, string>> = reviewKinds[kind].reasons;
  return reasons[reason] ?? reason;
}
