import { CHANGE_REASON_MOST_CHARACTERS, type ChangeCode } from "@pestle/contract";
import { canReach, type RenewalFacts } from "./prescriber-request.ts";

/** A pharmacist's question about a prescription (RxChangeRequest). */
export type ChangeQuestion = { code: ChangeCode; reason: string | null; service_reason: string | null };

/** What is wrong with the question itself; null if nothing is. */
export function questionProblem({ code, reason, service_reason }: ChangeQuestion): string | null {
  if (reason !== null && !isReason(reason)) {
    return `A reason must have 1 to ${CHANGE_REASON_MOST_CHARACTERS} characters on one line.`;
  }
  if (reason === null && code === "S") return "A clarification needs a reason.";
  if ((code === "D") !== (service_reason !== null)) {
    return "A drug-use evaluation, and nothing else, needs a service reason code, such as DD or TD.";
  }
  if (service_reason !== null && !/^[A-Z]{2}$/.test(service_reason)) {
    return "A service reason code has two capital letters.";
  }
  return null;
}

const isReason = (reason: string) =>
  reason.length <= CHANGE_REASON_MOST_CHARACTERS && /^[^\p{Cc}]+$/u.test(reason.trim());

/** Why the pharmacy cannot ask about the prescription now; empty if it can. */
export const askProblems = (facts: Pick<RenewalFacts, "active" | "has_route" | "environment">): string[] => [
  ...(facts.active ? [] : ["The prescription was canceled or replaced."]),
  ...(canReach(facts) ? [] : ["The sender of this prescription has no network. Add it with `pestle partner route`."]),
];
