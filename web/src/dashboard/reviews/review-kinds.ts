import type { DashboardReview } from "@pestle/contract";
import type { Tone } from "../../ui/badge.tsx";

/** What the entries of each kind are called, and what somebody who closes one is asked for. */
const kinds: Record<string, { name: string; tone: Tone; ask?: string }> = {
  prescription_acceptance: { name: "Waits for acceptance", tone: "wait" },
  patient_match: {
    name: "Doubtful match",
    tone: "info",
    ask: "Whether they are the same person, and what was done about it.",
  },
  unrouted_message: { name: "Whose message?", tone: "wait" },
  message_id_reused: {
    name: "Message id reused",
    tone: "bad",
    ask: "What the sender said, and which of the two holds.",
  },
  processing_failed: { name: "Could not be processed", tone: "bad", ask: "What was done about the message." },
  order_refused: { name: "No order made", tone: "bad", ask: "What was arranged with the partner or the prescriber." },
  unmatched_cancel: {
    name: "Cancel without match",
    tone: "wait",
    ask: "Which prescription was meant, or that none was.",
  },
  canceled_in_filling: { name: "Canceled while filling", tone: "bad", ask: "What was done with the package." },
};

/** A kind that this page does not know yet is shown by its own name. */
export const kindOf = (kind: string): { name: string; tone: Tone; ask?: string } =>
  kinds[kind] ?? { name: kind.replaceAll("_", " "), tone: "neutral" };

/** How the queue is divided; the first takes what none of the others names. */
export const divisions = [
  { key: "all", name: "All open", kinds: null },
  { key: "acceptance", name: "Acceptance", kinds: ["prescription_acceptance"] },
  { key: "matches", name: "Doubtful matches", kinds: ["patient_match"] },
  { key: "messages", name: "Messages", kinds: ["unrouted_message", "message_id_reused", "processing_failed"] },
  { key: "refused", name: "Orders refused", kinds: ["order_refused"] },
  { key: "cancels", name: "Cancels", kinds: ["unmatched_cancel", "canceled_in_filling"] },
] as const;

export const inDivision = (kinds_of: readonly string[] | null, { kind }: Pick<DashboardReview, "kind">): boolean =>
  kinds_of === null || kinds_of.includes(kind);
