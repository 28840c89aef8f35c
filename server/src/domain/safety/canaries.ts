import { assessSafety } from "./assess-safety.ts";
import type { SafetyData } from "./data.ts";

/** Any time works, because canaries have no fills. */
const NOW = new Date(0);

/** Returns the names of failing canaries: a dangerous one does not hold the order, or a harmless one does. */
export function canariesFail(data: SafetyData): string[] {
  return data.rows.canaries
    .filter(({ items, medications, allergies, expects }) => {
      const found = holdingKeys(data, { items, medications, allergies });
      return found === undefined || [...found].sort().join("\n") !== [...expects].sort().join("\n");
    })
    .map(({ name }) => name);
}

type Canary = Pick<SafetyData["rows"]["canaries"][number], "items" | "medications" | "allergies">;

function holdingKeys(data: SafetyData, { items, medications, allergies }: Canary): Set<string> | undefined {
  try {
    const findings = assessSafety(data, {
      items: items.map((ingredients, index) => ({
        item_id: index + 1,
        ingredients,
        gcn: null,
        days_supply: null,
        drug_schedule: "0",
      })),
      fills: [],
      medications,
      allergies,
      now: NOW,
    });
    return new Set(findings.flatMap(({ exception_id, key }) => (exception_id === null ? [] : [key])));
  } catch {
    // An engine that throws is as unusable as one with wrong results.
    return undefined;
  }
}
