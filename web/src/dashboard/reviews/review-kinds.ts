import type { DashboardReview } from "@pestle/contract";
import type { Tone } from "../../ui/badge.tsx";

/** Display name of each review kind, and the question asked when closing it. */
const kinds: Record<string, { name: string; tone: Tone; ask?: string }> = {
  prescription_acceptance: { name: "Needs pharmacist approval", tone: "wait" },
  patient_match: {
    name: "Possible duplicate",
    tone: "info",
    ask: "Are they the same person, and what did you do about it?",
  },
  unrouted_message: { name: "Unrouted message", tone: "wait" },
  message_id_reused: {
    name: "Message ID reused",
    tone: "bad",
    ask: "What did the sender say, and which message is valid?",
  },
  processing_failed: { name: "Processing failed", tone: "bad", ask: "What did you do about the message?" },
  order_refused: { name: "Order not created", tone: "bad", ask: "What did you agree with the partner or prescriber?" },
  unmatched_cancel: {
    name: "Unmatched cancel",
    tone: "wait",
    ask: "Which prescription did the prescriber mean, if any?",
  },
  canceled_in_filling: { name: "Canceled during fill", tone: "bad", ask: "What did you do with the package?" },
};

/** Falls back to the raw kind for unknown ones. */
export const kindOf = (kind: string): { name: string; tone: Tone; ask?: string } =>
  kinds[kind] ?? { name: kind.replaceAll("_", " "), tone: "neutral" };

/** Tabs of the review queue. The first shows every kind. */
export const divisions = [
  { key: "all", name: "All open", kinds: null },
  { key: "acceptance", name: "Pharmacist approval", kinds: ["prescription_acceptance"] },
  { key: "matches", name: "Possible duplicates", kinds: ["patient_match"] },
  { key: "messages", name: "Messages", kinds: ["unrouted_message", "message_id_reused", "processing_failed"] },
  { key: "refused", name: "Orders not created", kinds: ["order_refused"] },
  { key: "cancels", name: "Cancels", kinds: ["unmatched_cancel", "canceled_in_filling"] },
] as const;

export const inDivision = (kinds_of: readonly string[] | null, { kind }: Pick<DashboardReview, "kind">): boolean =>
  kinds_of === null || kinds_of.includes(kind);
