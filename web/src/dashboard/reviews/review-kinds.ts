import type { DashboardReview, ReviewKindName } from "@pestle/contract";
import type { Tone } from "../../ui/badge.tsx";
import { say } from "../../ui/words/say.tsx";

/** Display name of each review kind. */
const kinds: Record<ReviewKindName, { name: string; tone: Tone }> = {
  prescription_acceptance: { name: say("Needs pharmacist approval"), tone: "wait" },
  patient_match: {
    name: say("Possible duplicate"),
    tone: "info",
  },
  unrouted_message: { name: say("Unrouted message"), tone: "wait" },
  message_id_reused: {
    name: say("Message ID reused"),
    tone: "bad",
  },
  processing_failed: { name: say("Processing failed"), tone: "bad" },
  order_refused: { name: say("Order not created"), tone: "bad" },
  unmatched_cancel: {
    name: say("Unmatched cancel"),
    tone: "wait",
  },
  canceled_in_filling: { name: say("Canceled during fill"), tone: "bad" },
};

/** Falls back to the raw kind for unknown ones. */
export const kindOf = (kind: string): { name: string; tone: Tone } =>
  (kinds as Record<string, { name: string; tone: Tone }>)[kind] ?? { name: kind.replaceAll("_", " "), tone: "neutral" };

/** Tabs of the review queue. The first shows every kind. */
export const divisions = [
  { key: "all", name: say("All open"), kinds: null },
  { key: "acceptance", name: say("Pharmacist approval"), kinds: ["prescription_acceptance"] },
  { key: "matches", name: say("Possible duplicates"), kinds: ["patient_match"] },
  { key: "messages", name: say("Messages"), kinds: ["unrouted_message", "message_id_reused", "processing_failed"] },
  { key: "refused", name: say("Orders not created"), kinds: ["order_refused"] },
  { key: "cancels", name: say("Cancels"), kinds: ["unmatched_cancel", "canceled_in_filling"] },
] as const;

export const inDivision = (kinds_of: readonly string[] | null, { kind }: Pick<DashboardReview, "kind">): boolean =>
  kinds_of === null || kinds_of.includes(kind);
