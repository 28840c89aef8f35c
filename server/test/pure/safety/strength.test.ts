import { describe, expect, test } from "vitest";
import { amountOf, isLocal, readStrength } from "../../../src/domain/safety/texts/strength.ts";

const strengths: [text: string, amounts: number[], per: string][] = [
  ["Atorvastatin 20 mg tablet", [20], "1 each"],
  ["Atorvastatin 20mg tablet", [20], "1 each"],
  ["Levothyroxine 50 mcg tablet", [0.05], "1 each"],
  ["Valacyclovir 1 g tablet", [1000], "1 each"],
  ["Metformin 1,000 mg tablet", [1000], "1 each"],
  ["METFORMIN ER 500 MG 24 HR TABLET", [500], "1 each"],
  ["Hydrocodone-Acetaminophen 10-325 mg tablet", [10, 325], "1 each"],
  ["hydrocodone 10 mg-acetaminophen 325 mg tablet", [10, 325], "1 each"],
  ["Oxycodone/Acetaminophen 5 mg/325 mg", [5, 325], "1 each"],
  ["Sulfamethoxazole-Trimethoprim 800-160 mg tablet", [800, 160], "1 each"],
  ["Lisinopril 20 mg / Hydrochlorothiazide 12.5 mg tablet", [20, 12.5], "1 each"],
  ["Butalbital-Acetaminophen-Caffeine 50-325-40 mg", [50, 325, 40], "1 each"],
  ["Amoxicillin 250 mg/5 mL suspension", [250], "5 mL"],
  ["Amoxicillin 250 MG / 5 ML", [250], "5 mL"],
  ["Semaglutide 0.5 MG/0.5 ML pen", [0.5], "0.5 mL"],
  ["Semaglutide 2 mg/3 mL pen", [2], "3 mL"],
  ["Testosterone cypionate 200 mg/mL vial", [200], "1 mL"],
  ["Insulin glargine 100 units/mL pen", [100], "1 mL"],
  ["Albuterol 90 mcg/actuation inhaler", [0.09], "1 puff"],
  ["Fentanyl 25 mcg/hr patch", [0.025], "1 hour"],
  ["Potassium chloride 20 mEq tablet", [20], "1 each"],
  ["Ergocalciferol 50,000 units capsule", [50000], "1 each"],
];

describe("a strength", () => {
  test.each(strengths)("%s", (text, amounts, per) => {
    const strength = readStrength(text);
    expect(strength?.amounts.map(({ value }) => Number(value.toFixed(6)))).toEqual(amounts);
    expect(`${strength?.per.amount} ${strength?.per.unit}`).toBe(per);
  });

  test.each([
    "Tretinoin 0.025 % cream",
    "Pill organizer",
    "",
    "Insulin 100 units/mL, 3 mg/5 mL",
    "0 mg tablet",
    "x".repeat(400),
  ])("%s has none", (text) => {
    expect(readStrength(text)).toBeNull();
  });

  test("of several ingredients belongs to them in the order of the name", () => {
    const text = "Hydrocodone-Acetaminophen 10-325 mg tablet";
    const strength = readStrength(text)!;
    const of = (name: string, names: string[]) => amountOf(strength, text, name, names)?.value;
    expect(of("acetaminophen", ["acetaminophen", "hydrocodone"])).toBe(325);
    expect(of("hydrocodone", ["acetaminophen", "hydrocodone"])).toBe(10);
    expect(of("hydrocodone", ["hydrocodone"])).toBeUndefined();
  });

  test("of a brand with acetaminophen is the larger one", () => {
    const strength = readStrength("Norco 10-325")!;
    expect(strength).toBeNull();
    const written = readStrength("Norco 10-325 mg")!;
    const names = ["acetaminophen", "hydrocodone"];
    expect(amountOf(written, "Norco 10-325 mg", "acetaminophen", names)?.value).toBe(325);
    expect(amountOf(written, "Norco 10-325 mg", "hydrocodone", names)?.value).toBe(10);
    expect(
      amountOf(readStrength("Zestoretic 20-12.5 mg")!, "Zestoretic 20-12.5 mg", "lisinopril", [
        "lisinopril",
        "hydrochlorothiazide",
      ]),
    ).toBeNull();
  });
});

test("creams, eye drops and sprays act where they are applied", () => {
  for (const text of ["Tretinoin 0.025 % cream", "Timolol 0.5 % ophthalmic solution", "Fluticasone nasal spray"]) {
    expect(isLocal(text), text).toBe(true);
  }
  for (const text of ["Atorvastatin 20 mg tablet", "Estradiol 0.05 mg/24 hr patch", "Semaglutide pen"]) {
    expect(isLocal(text), text).toBe(false);
  }
});
