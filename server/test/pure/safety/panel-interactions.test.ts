import { describe, expect, test } from "vitest";
import { assessSafety } from "../../../src/domain/safety/assess-safety.ts";
import { holdsOf, NOW, shipped } from "../../support/samples/safety.ts";
import { type PanelPatient, quietPatients, riskyPatients } from "./panel-interactions.ts";

/** The target of the product: what a pharmacist accepts as useful. */
const LEAST_SENSITIVITY = 0.95;
const MOST_FALSE_HOLDS = 0.05;

function heldBy({ items, medications = [], allergies = [], conditions = [] }: PanelPatient): string[] {
  const findings = assessSafety(shipped, {
    items: items.map((item, index) => {
      const [ingredients = "", drug = ingredients] = item.split("=");
      return {
        item_id: index + 1,
        drug,
        ingredients: ingredients.split(" + "),
        gcn: null,
        is_drug: true,
        sig_text: null,
        units: null,
        days_supply: 30,
        drug_schedule: "0" as const,
      };
    }),
    fills: [],
    medications,
    allergies,
    conditions,
    patient: { dob: null, gender: null, weight_kg: null },
    now: NOW,
  });
  return holdsOf(findings).sort();
}

describe("a patient at risk is held for exactly the expected reason", () => {
  test.each(riskyPatients.map((patient) => [patient.name, patient] as const))("%s", (_name, patient) => {
    expect(heldBy(patient)).toEqual([...patient.holds].sort());
  });
});

describe("a quiet patient is not held", () => {
  test.each(quietPatients.map((patient) => [patient.name, patient] as const))("%s", (_name, patient) => {
    expect(heldBy(patient)).toEqual([]);
  });
});

test("the panel meets its targets, and is large enough to mean something", () => {
  const missed = riskyPatients.filter((patient) => !patient.holds.every((key) => heldBy(patient).includes(key)));
  const held = quietPatients.filter((patient) => heldBy(patient).length > 0);
  const sensitivity = 1 - missed.length / riskyPatients.length;
  const false_holds = held.length / quietPatients.length;
  console.log(
    `interactions, duplicates and allergies: ${riskyPatients.length} at risk, sensitivity ${(100 * sensitivity).toFixed(1)} %; ${quietPatients.length} quiet, false holds ${(100 * false_holds).toFixed(1)} %`,
  );
  expect(new Set([...riskyPatients, ...quietPatients].map(({ name }) => name)).size).toBe(
    riskyPatients.length + quietPatients.length,
  );
  expect(riskyPatients.length).toBeGreaterThanOrEqual(200);
  expect(quietPatients.length).toBeGreaterThanOrEqual(60);
  expect(sensitivity).toBeGreaterThanOrEqual(LEAST_SENSITIVITY);
  expect(false_holds).toBeLessThanOrEqual(MOST_FALSE_HOLDS);
});
