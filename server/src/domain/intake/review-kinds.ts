import { errors } from "@pestle/contract";
import { cancelNotes } from "./decide-intake.ts";
import { intakeRefusals } from "./intake-refusals.ts";
import { matchReasons } from "./match-patient.ts";
import { acceptanceReasons } from "./prescription.ts";

/**
 * What a person of the pharmacy is asked to look at: what has happened, how it is closed, and what the codes among its
 * reasons mean. All sentences are fixed, so that no list of open entries tells anything of a patient.
 */
export const reviewKinds = {
  patient_match: {
    says: "A new patient was made beside one who may be the same person.",
    closed_by: "resolve",
    reasons: Object.fromEntries(Object.entries(matchReasons).map(([reason, [, sentence]]) => [reason, sentence])),
  },
  prescription_acceptance: {
    says: "A prescription cannot be filled until a pharmacist has accepted it.",
    closed_by: "accept",
    reasons: acceptanceReasons,
  },
  unrouted_message: {
    says: "A message waits, because it is not known which of several accounts it is for.",
    closed_by: "route",
    reasons: { undecided: "Several accounts share the receiver's id, and no routing rule tells which is meant." },
  },
  message_id_reused: {
    says: "A message was refused and kept: another came before it under the same message id.",
    closed_by: "resolve",
    reasons: { "220": intakeRefusals["220"][1] },
  },
  unmatched_cancel: {
    says: "A prescriber canceled a prescription that could not be told.",
    closed_by: "resolve",
    reasons: { unknown: cancelNotes.unknown, several: cancelNotes.several },
  },
  canceled_in_filling: {
    says: "A prescriber canceled a prescription that is being filled.",
    closed_by: "resolve",
    reasons: {},
  },
  order_refused: {
    says: "No order could be made of a prescription.",
    closed_by: "resolve",
    reasons: Object.fromEntries(Object.entries(errors).map(([code, [message, , fix]]) => [code, `${message}: ${fix}`])),
  },
  processing_failed: {
    says: "A kept message could not be processed, several times over: a fault of ours.",
    closed_by: "resolve",
    reasons: {},
  },
} as const satisfies Record<string, ReviewKindRow>;

export type ReviewKind = keyof typeof reviewKinds;
type ReviewKindRow = {
  says: string;
  /** The verb of `pestle rx` that ends it. */
  closed_by: "accept" | "route" | "resolve";
  reasons: Readonly<Record<string, string>>;
};

/** A code that no table knows stands for itself. */
export function reasonSentence(kind: ReviewKind, reason: string): string {
  const reasons: Readonly<Record<string, string>> = reviewKinds[kind].reasons;
  return reasons[reason] ?? reason;
}
