import { describe, expect, test } from "vitest";
import { assessSafety } from "../../../src/domain/safety/assess-safety.ts";
import type { SafetyFinding } from "../../../src/domain/safety/finding.ts";
import { isUnderstood, understand } from "../../../src/domain/safety/texts/understand.ts";
import { NOW, shipped } from "../../support/samples/safety.ts";
import { atRisk as firstAtRisk, quietCases as firstQuiet, type PharmacistCase } from "./pharmacist-panel.ts";
import { laterAtRisk, laterQuiet } from "./pharmacist-panel-later.ts";

const atRisk = [...firstAtRisk, ...laterAtRisk];
const quietCases = [...firstQuiet, ...laterQuiet];

/** The findings that hold the order, read as `pestle safety check` reads it. */
function holdsFor({ drug, medications = [], allergies = [] }: PharmacistCase): SafetyFinding[] {
  const understood = understand(shipped, drug);
  const names = isUnderstood(understood) ? understood.substances.map(({ name }) => name) : [];
  return assessSafety(shipped, {
    items: [
      {
        item_id: 1,
        drug,
        ingredients: names.length > 0 ? names : [drug],
        gcn: null,
        is_drug: true,
        sig_text: null,
        units: null,
        days_supply: null,
        drug_schedule: "0",
      },
    ],
    fills: [],
    medications,
    allergies,
    conditions: [],
    patient: { dob: null, gender: null, weight_kg: null },
    now: NOW,
  }).filter(({ exception_id }) => exception_id !== null);
}

const nameOf = ({ drug, medications = [], allergies = [] }: PharmacistCase) =>
  [drug, ...medications.map((text) => `with ${text}`), ...allergies.map((text) => `allergic to ${text}`)].join(", ");

const isFound = (patient: PharmacistCase) =>
  holdsFor(patient).some(({ kind }) => patient.expects.some((one) => one === kind));

const cases = (patients: readonly PharmacistCase[]) => patients.map((patient) => [nameOf(patient), patient] as const);

describe("a patient at risk is held for the expected kind of reason", () => {
  test.each(cases(atRisk))("%s", (_name, patient) => {
    expect(isFound(patient), JSON.stringify(holdsFor(patient).map(({ key }) => key))).toBe(true);
  });
});

describe("a quiet patient is not held", () => {
  test.each(cases(quietCases))("%s", (_name, patient) => {
    expect(holdsFor(patient).map(({ message }) => message)).toEqual([]);
  });
});

test("the panel is large enough to mean something and has no case twice", () => {
  const names = [...atRisk, ...quietCases].map(nameOf);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(atRisk.length).toBeGreaterThanOrEqual(250);
  expect(quietCases.length).toBeGreaterThanOrEqual(120);
});
