import type { ExceptionGroup } from "@pestle/contract";
import type { Tone } from "../../ui/badge.tsx";
import { say } from "../../ui/words/say.tsx";

/** Who must act to clear the hold. */
export const whoActs: Record<ExceptionGroup["who_acts"], { short: string; says: string; tone: Tone }> = {
  partner: { short: say("Partner"), says: say("The partner must act"), tone: "info" },
  pharmacist: { short: say("Pharmacist"), says: say("A pharmacist must act"), tone: "wait" },
  pharmacy: { short: say("Pharmacy"), says: say("The pharmacy must act"), tone: "wait" },
};

/** Who at the pharmacy may override the exception while its cause remains. */
export const overriding: Record<ExceptionGroup["overridden_by"], string> = {
  operator: say("Any staff member can resolve it with a reason."),
  pharmacist: say("A pharmacist can resolve it on the order's own page, with a reason code. Not in bulk."),
  nobody: say("No override. Staff can resolve it once the cause is fixed."),
};
