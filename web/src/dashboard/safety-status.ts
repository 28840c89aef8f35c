import type { SafetyStatus } from "@pestle/contract";
import { say } from "../ui/words/say.tsx";

/** Whether the patient was asked about allergies, medications or conditions. */
export const statusNames: Record<SafetyStatus, string> = {
  not_asked: say("Not asked"),
  none_known: say("None known"),
  listed: say("Listed"),
};
