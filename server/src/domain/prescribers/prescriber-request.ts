import { errors, RENEWAL_DAYS, type RenewalResponse, type RenewalStatus } from "@pestle/contract";
import type { ResponseKind } from "../intake/incoming-message.ts";
import type { Problem } from "../values/refusals.ts";

/** The state of a message to a prescriber. Only requests have answers; a notice ends as `sent` or `failed`. */
export type MessageState = RenewalStatus;

/** What a request for renewal depends on. */
export type RenewalFacts = {
  active: boolean;
  drug_schedule: string;
  prohibits_renewal: boolean;
  environment: "production" | "sandbox";
  has_route: boolean;
  is_filled: boolean;
  has_open_renewal: boolean;
};

/** Why the pharmacy cannot ask for a renewal; empty if it can. */
export function renewalProblems(facts: RenewalFacts): Problem[] {
  const problems: Problem[] = [];
  const field = "prescription_id";
  if (!facts.active) problems.push({ code: 42284, field, message: notRenewable.ended });
  else if (facts.drug_schedule === "2") problems.push({ code: 42284, field, message: notRenewable.schedule_2 });
  else if (facts.prohibits_renewal) problems.push({ code: 42284, field, message: notRenewable.prohibited });
  else if (!facts.is_filled) problems.push({ code: 42284, field, message: notRenewable.never_filled });
  if (facts.has_open_renewal) problems.push({ code: 42285, field });
  if (!canReach(facts)) problems.push({ code: 42286, field });
  return problems;
}

/** The same as sentences for a person. */
export const renewalSentences = (facts: RenewalFacts): { code: number; message: string }[] =>
  renewalProblems(facts).map(({ code, message }) => ({ code, message: message ?? errors[code][2] }));

export const notRenewable = {
  ended: "The prescription was canceled or replaced. Ask the prescriber for a new one.",
  schedule_2: "A schedule 2 prescription cannot be renewed. Ask the prescriber for a new one.",
  prohibited: "The prescriber does not accept requests for renewal of this prescription. Ask the prescriber directly.",
  never_filled: "The prescription was never filled, so there is nothing to renew.",
} as const;

/** In the sandbox, an invented prescriber answers for every sender that has no route. */
export const canReach = ({ has_route, environment }: Pick<RenewalFacts, "has_route" | "environment">): boolean =>
  has_route || environment === "sandbox";

/** Requests that were created before this time have expired. */
export const expiredBefore = (account_now: Date): Date =>
  new Date(account_now.getTime() - RENEWAL_DAYS * 24 * 3_600_000);

/** How a response ends a request; null if another answer follows. */
export function closedBy(response: ResponseKind): { state: "approved" | "denied"; response: RenewalResponse } | null {
  if (response === "pending") return null;
  const denied = response === "denied" || response === "denied_new_prescription_to_follow";
  return { state: denied ? "denied" : "approved", response };
}

/** The standard allows 35 characters for the id of a message, one fewer than a UUID has with its dashes. */
export const wireId = (message_id: string): string => message_id.replaceAll("-", "");

/** The id of one of our messages that a response names; null if it cannot be ours. */
export function messageIdOf(relates_to: string | null): string | null {
  const parts = OURS.exec(relates_to ?? "");
  return parts === null ? null : parts.slice(1).join("-").toLowerCase();
}
const OURS = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;
