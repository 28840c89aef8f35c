import { readFileSync } from "node:fs";
import { assessSafety } from "../../../src/domain/safety/assess-safety.ts";
import { readSafetyData, type SafetyData } from "../../../src/domain/safety/data.ts";
import type { SafetyFinding } from "../../../src/domain/safety/finding.ts";
import type { SafetyFacts } from "../../../src/domain/safety/safety-facts.ts";
import { loadLexicon } from "../../../src/usecases/safety/load-lexicon.ts";

const text = readFileSync(new URL("../../../data/safety.json", import.meta.url), "utf8");
/** The shipped tables as they are in their file, to be changed and read again. */
export const shippedJson = () => JSON.parse(text) as Record<string, unknown>;

export const shipped: SafetyData = readSafetyData(shippedJson(), undefined, loadLexicon());

export const NOW = new Date("2026-11-15T12:00:00Z");
export const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 3600 * 1000);

type Told = Partial<Omit<SafetyFacts, "items" | "fills">> & {
  fills?: (Partial<SafetyFacts["fills"][number]> & { ingredients: readonly string[] })[];
};

/**
 * The findings for an order of these drugs, one item each; " + " joins the ingredients of one product. `product` is their
 * name, if it is not that of the ingredients.
 */
export function found(drugs: readonly string[], told: Told = {}, data = shipped, product?: string): SafetyFinding[] {
  return assessSafety(data, {
    items: drugs.map((drug, index) => ({
      item_id: index + 1,
      ingredients: drug.split(" + "),
      drug: product ?? drug,
      is_drug: true,
      gcn: `item ${index + 1}`,
      sig_text: null,
      units: null,
      days_supply: 30,
      drug_schedule: "0",
    })),
    allergies: told.allergies ?? [],
    medications: told.medications ?? [],
    conditions: told.conditions ?? [],
    patient: told.patient ?? { dob: null, gender: null, weight_kg: null },
    fills: (told.fills ?? []).map((fill, index) => ({
      order_number: `000-00000${index}`,
      gcn: `fill ${index}`,
      shipped_at: daysAgo(5),
      days_supply: 30,
      ...fill,
    })),
    now: told.now ?? NOW,
  });
}

/** The keys of the findings that hold the order. */
export const holdsOf = (findings: readonly SafetyFinding[]) =>
  findings.filter(({ exception_id }) => exception_id !== null).map(({ key }) => key);
export const keysOf = (findings: readonly SafetyFinding[]) => findings.map(({ key }) => key);
