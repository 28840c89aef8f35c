import type { ExceptionGroup } from "@pestle/contract";
import type { Tone } from "../../ui/badge.tsx";

/** Who must act to clear the hold. */
export const whoActs: Record<ExceptionGroup["who_acts"], { short: string; says: string; tone: Tone }> = {
  partner: { short: "Partner", says: "The partner must act", tone: "info" },
  pharmacist: { short: "Pharmacist", says: "A pharmacist must act", tone: "wait" },
  pharmacy: { short: "Pharmacy", says: "The pharmacy must act", tone: "wait" },
};

/** Who at the pharmacy may override the exception while its cause remains. */
export const overriding: Record<ExceptionGroup["overridden_by"], string> = {
  operator: "Any staff member can resolve it with a reason.",
  pharmacist: "A pharmacist can resolve it on the order's own page, with a reason code. Not in bulk.",
  nobody: "No override. Staff can resolve it once the cause is fixed.",
};
