import type { SafetyStatus } from "@pestle/contract";

/** Whether the patient was asked about allergies, medications or conditions. */
export const statusNames: Record<SafetyStatus, string> = {
  not_asked: "Not asked",
  none_known: "None known",
  listed: "Listed",
};
