import { clinicalCheckNames, clinicalChecks } from "@pestle/contract";
import { expect, test } from "vitest";
import { type AssessedOrder, orderFindings } from "../../../src/domain/safety/assess-safety.ts";
import { madeChecks } from "../../../src/domain/safety/clinical-checks.ts";
import { NOW, shipped } from "../../support/samples/safety.ts";

const LISTED = { allergy: "listed", medication: "listed", condition: "listed" } as const;

function order(drug: string, sig_text: string | null, more: Partial<AssessedOrder> = {}): AssessedOrder {
  const item = { item_id: 1, ingredients: [drug.split(" ")[0]!.toLowerCase()], drug, is_drug: true, gcn: null };
  return {
    items: [{ ...item, sig_text, units: 90, days_supply: 90, drug_schedule: "0", ordered_units: 90 }],
    fills: [],
    patient_safety: { allergies: [], medications: [], health_conditions: [] },
    patient: { dob: "1970-01-01", gender: "F", weight_kg: 70 },
    now: NOW,
    ...more,
  };
}
const made = (given: AssessedOrder, asked: Parameters<typeof madeChecks>[2] = LISTED) =>
  madeChecks({ data: shipped }, given, asked, orderFindings({ data: shipped }, given));
const gapsIn = (given: AssessedOrder, asked?: Parameters<typeof madeChecks>[2]) =>
  made(given, asked).checks.flatMap(({ check, gaps }) => gaps.map((gap) => `${check} ${gap}`));

test("every finding of the engine belongs to exactly one check, and every check names its tables", () => {
  const kinds = Object.values(clinicalChecks).flatMap(({ finds }) => finds as readonly string[]);
  expect(new Set(kinds).size).toBe(kinds.length);
  const { checks, version } = made(order("Atorvastatin 20 mg tablet", "Take 1 tablet daily."));
  expect(version).toBe(shipped.version);
  expect(checks.map(({ check }) => check)).toEqual(clinicalCheckNames);
  for (const { check, tables } of checks) {
    expect([check, tables.every(({ rows }) => rows > 0)]).toEqual([check, true]);
    if (check !== "directions") expect([check, tables.length > 0]).toEqual([check, true]);
  }
});

test("counts what the order was compared with", () => {
  const patient_safety = {
    allergies: ["penicillin"],
    medications: ["aspirin", "lisinopril"],
    health_conditions: ["asthma"],
  };
  const { checks } = made(order("Atorvastatin 20 mg tablet", "Take 1 tablet daily.", { patient_safety }));
  expect(Object.fromEntries(checks.map(({ check, compared }) => [check, compared]))).toMatchObject({
    allergy: 1,
    interaction: 2,
    duplicate: 2,
    refill: 0,
    condition: 1,
    dose: null,
  });
});

test("says what nobody asked, and what is unknown only if a rule for the drug needs it", () => {
  const drug = "Atorvastatin 20 mg tablet";
  expect(gapsIn(order(drug, "Take 1 tablet daily."))).toEqual([]);
  const not_asked = { allergy: "not_asked", medication: "not_asked", condition: "none_known" } as const;
  expect(gapsIn(order(drug, "Take 1 tablet daily."), not_asked)).toEqual([
    "allergy allergies_not_asked",
    "interaction medications_not_asked",
    "duplicate medications_not_asked",
  ]);
  const patient = { dob: null, gender: null, weight_kg: null };
  expect(gapsIn(order(drug, null, { patient }))).toEqual(["age_and_sex age_unknown"]);
  const weighed = shipped.rows.weight_rules.flatMap(({ drugs }) => drugs).find((name) => shipped.substances.has(name))!;
  expect(gapsIn(order(`${weighed} 5 mg tablet`, null, { patient }))).toContain("dose weight_unknown");
  expect(gapsIn(order("Finasteride 1 mg tablet", null, { patient }))).toContain("age_and_sex sex_unknown");
});

test("computes the daily dose, or says why it cannot", () => {
  const dose = (drug: string, sig: string | null) => made(order(drug, sig)).doses.get(1);
  expect(dose("Atorvastatin 20 mg tablet", "Take 1 to 2 tablets by mouth once daily.")).toEqual({
    read: true,
    per_day: { min: 1, max: 2 },
    unit: "tablet",
    doses_per_day: { min: 1, max: 1 },
    as_needed: false,
    ingredients: [{ name: "atorvastatin", unit: "mg", min: 20, max: 40 }],
    lasts_days: { min: 45, max: 90 },
  });
  expect(dose("Atorvastatin 20 mg tablet", "Use as directed by the clinic.")).toMatchObject({ read: false });
  expect(dose("Atorvastatin 20 mg tablet", null)).toBeNull();
  const unread = order("Atorvastatin 20 mg tablet", "Use as directed by the clinic.");
  expect(gapsIn(unread)).toEqual(["dose directions_unread", "directions directions_unread"]);
});

test("unusable tables check nothing, and the directions are still read", () => {
  const given = order("Atorvastatin 20 mg tablet", "Take 2 tablets daily.");
  const { version, checks, doses } = madeChecks({ unfit: ["damaged"] }, given, LISTED, []);
  expect(version).toBeNull();
  expect(checks.every(({ gaps, tables }) => gaps.join() === "tables_unusable" && tables.length === 0)).toBe(true);
  expect(doses.get(1)).toMatchObject({ read: true, per_day: { min: 2, max: 2 }, ingredients: [] });
});
