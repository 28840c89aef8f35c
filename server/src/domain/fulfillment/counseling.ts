import {
  type CounselingOutcome,
  type CounselingRequest,
  counselingOutcomes,
  MOST_COUNSELING_ENTRIES,
} from "@pestle/contract";
import { isLicensedPharmacist, isPharmacistRole } from "../accounts/license.ts";

type Refused = "not_your_role" | "license_needed" | "stale" | "counseled_already" | "spoken_needed" | "counseling_full";

/** The number of the new entry, or why the pharmacist cannot record it. */
export function decideCounseling(
  { outcome, how, entries }: Pick<CounselingRequest, "outcome" | "how" | "entries">,
  recorded: readonly CounselingOutcome[],
  by: { role: string; license: string | null },
): { entry_number: number } | { refused: Refused } {
  if (!isLicensedPharmacist(by)) return { refused: isPharmacistRole(by.role) ? "license_needed" : "not_your_role" };
  if (entries !== recorded.length) return { refused: "stale" };
  if (recorded.length >= MOST_COUNSELING_ENTRIES) return { refused: "counseling_full" };
  // A patient who refused can still ask for counseling later. Once it is given, only another counseling adds something.
  if (recorded.includes("given") && outcome !== "given") return { refused: "counseled_already" };
  if (!(counselingOutcomes[outcome].ways as readonly string[]).includes(how)) return { refused: "spoken_needed" };
  return { entry_number: recorded.length + 1 };
}
