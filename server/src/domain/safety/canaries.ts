import { assessSafety } from "./assess-safety.ts";
import type { SafetyData } from "./data.ts";

/** Any time works, because canaries have no fills. */
const NOW = new Date(0);

/** Returns the names of failing canaries: a dangerous one does not hold the order, or a harmless one does. */
export function canariesFail(data: SafetyData): string[] {
  return data.rows.canaries
    .filter(({ items, medications, allergies, conditions, expects }) => {
      const found = holdingKeys(data, { items, medications, allergies, conditions });
      return found === undefined || [...found].sort().join("\n") !== [...expects].sort().join("\n");
    })
    .map(({ name }) => name);
}

type Canary = Pick<SafetyData["rows"]["canaries"][number], "items" | "medications" | "allergies" | "conditions">;

function holdingKeys(data: SafetyData, { items, medications, allergies, conditions }: Canary): Set<string> | undefined {
  try {
    const findings = assessSafety(data, {
      items: items.map((ingredients, index) => ({
        item_id: index + 1,
        ingredients,
        drug: ingredients.join("-"),
        is_drug: true,
        gcn: null,
        sig_text: null,
        units: null,
        days_supply: null,
        drug_schedule: "0",
      })),
      fills: [],
      medications,
      allergies,
      conditions,
      patient: { dob: null, gender: null, weight_kg: null },
      now: NOW,
    });
    return new Set(findings.flatMap(({ exception_id, key }) => (exception_id === null ? [] : [key])));
  } catch {
    // An engine that throws is as unusable as one with wrong results.
    return undefined;
  }
}
