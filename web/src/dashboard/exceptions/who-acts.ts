import type { ExceptionGroup } from "@pestle/contract";
import type { Tone } from "../../ui/badge.tsx";

/** Who has to move for the hold to end. */
export const whoActs: Record<ExceptionGroup["who_acts"], { short: string; says: string; tone: Tone }> = {
  partner: { short: "Partner", says: "The partner must act", tone: "info" },
  pharmacist: { short: "Pharmacist", says: "A pharmacist must act", tone: "wait" },
  pharmacy: { short: "Pharmacy", says: "The pharmacy must act", tone: "wait" },
};

/** Who of the pharmacy may end it, although its cause may still be there. */
export const overriding: Record<ExceptionGroup["overridden_by"], string> = {
  operator: "Anybody at the pharmacy may end it with a reason.",
  pharmacist: "A pharmacist may end it with a reason.",
  nobody: "It cannot be overridden: it can be ended once its cause is gone.",
};
