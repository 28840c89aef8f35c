import { describe, expect, test } from "vitest";
import { compareDrug } from "../../../src/domain/intake/compare-drug.ts";
import { readNdcTable, writeNdcTable } from "../../../src/domain/intake/ndc-table.ts";
import { strengthsIn } from "../../../src/domain/intake/strengths.ts";
import { loadNdcTable } from "../../../src/usecases/intake/load-ndc-table.ts";
import { shipped } from "../../support/samples/safety.ts";

type Difference = ReturnType<typeof compareDrug>;

const samples: [written: string, ndc_drug: string, differs: Difference][] = [
  // Another drug.
  ["Warfarin 5 mg", "Atorvastatin 20 mg tablet", "ingredient"],
  ["Warfarin 5 mg tablet", "atorvastatin 20 MG Oral Tablet [Lipitor]", "ingredient"],
  ["Zoloft 50 mg", "zolpidem tartrate 5 MG Oral Tablet", "ingredient"],
  ["hydroxyzine HCl 25 mg", "hydralazine hydrochloride 25 MG Oral Tablet", "ingredient"],
  ["Prednisone 10 mg", "prednisolone 10 MG Disintegrating Oral Tablet", "ingredient"],
  ["Celebrex 200 mg", "citalopram 20 MG Oral Tablet [Celexa]", "ingredient"],
  ["metformin 500 mg", "metronidazole 500 MG Oral Tablet", "ingredient"],
  ["Lisinopril 20 mg", "hydrochlorothiazide 12.5 MG / lisinopril 20 MG Oral Tablet", "ingredient"],
  ["Lisinopril-HCTZ 20-12.5 mg", "lisinopril 20 MG Oral Tablet", "ingredient"],
  ["amoxicillin 875 mg", "amoxicillin 875 MG / clavulanate 125 MG Oral Tablet", "ingredient"],
  ["losartan 50 mg", "losartan potassium 50 MG / hydrochlorothiazide 12.5 MG Oral Tablet", "ingredient"],
  ["Warfrin 5 mg", "metoprolol tartrate 50 MG Oral Tablet", "ingredient"],
  // Another strength.
  ["Atorvastatin 80 mg", "Atorvastatin 20 mg tablet", "strength"],
  ["atorvastatin 80 mg tab", "atorvastatin 20 MG Oral Tablet", "strength"],
  ["Levothyroxine 50 mcg", "levothyroxine sodium 0.5 MG Oral Tablet", "strength"],
  ["sertraline 25 mg", "sertraline 50 MG Oral Tablet", "strength"],
  ["Lisinopril-HCTZ 20-25 mg", "hydrochlorothiazide 12.5 MG / lisinopril 20 MG Oral Tablet", "strength"],
  ["tretinoin 0.1% cream", "tretinoin 0.25 MG/ML Topical Cream", "strength"],
  ["amoxicillin 250 mg/5 mL", "amoxicillin 80 MG/ML Oral Suspension", "strength"],
  ["fentanyl 100 mcg/hr patch", "72 HR fentanyl 0.025 MG/HR Transdermal System", "strength"],
  ["Adderall 30 mg", MIXED_SALTS(), "strength"],
  ["vitamin D2 50,000 units", "ergocalciferol 400 UNT Oral Tablet", "strength"],
  ["Klor-Con 10 mEq", "potassium chloride 20 MEQ Extended Release Oral Tablet", "strength"],
  ["Humulin R 500 units/mL", "insulin, regular, human 100 UNT/ML Injectable Solution [Humulin R]", "strength"],
  // The same.
  ["Warfarin 5 mg", "warfarin sodium 5 MG Oral Tablet", null],
  ["Lipitor 20 mg", "atorvastatin 20 MG Oral Tablet", null],
  ["atorvastatin calcium 20mg", "Lipora (atorvastatin) 20 mg tablet", null],
  ["Levothyroxine 50 mcg", "levothyroxine sodium 0.05 MG Oral Tablet [Synthroid]", null],
  ["Toprol XL 50 mg", "24 HR metoprolol succinate 50 MG Extended Release Oral Tablet", null],
  ["Lisinopril-HCTZ 20-12.5 mg", "hydrochlorothiazide 12.5 MG / lisinopril 20 MG Oral Tablet", null],
  ["Percocet 5-325 mg", "acetaminophen 325 MG / oxycodone hydrochloride 5 MG Oral Tablet", null],
  ["Oxycodone 5/325", "acetaminophen 325 MG / oxycodone hydrochloride 5 MG Oral Tablet", null],
  ["Augmentin 875-125 mg", "amoxicillin 875 MG / clavulanate 125 MG Oral Tablet [Augmentin]", null],
  ["Bactrim DS 800-160 mg", "sulfamethoxazole 800 MG / trimethoprim 160 MG Oral Tablet", null],
  ["Adderall 20 mg", MIXED_SALTS(), null],
  ["Adderall XR 20 mg capsule", MIXED_SALTS(), null],
  ["Mounjaro 2.5 mg/0.5 mL pen", "0.5 ML tirzepatide 5 MG/ML Injection [Mounjaro]", null],
  ["Ozempic 2 mg/3 mL", "3 ML semaglutide 0.68 MG/ML Pen Injector [Ozempic]", null],
  ["Semaglutide 2 mg/3 mL pen", "3 ML semaglutide 0.68 MG/ML Pen Injector [Ozempic]", null],
  ["amoxicillin 400 mg/5 mL susp", "amoxicillin 80 MG/ML Oral Suspension", null],
  ["Tretinoin 0.025 % cream", "tretinoin 0.25 MG/ML Topical Cream", null],
  ["betamethasone 0.05% ointment", "betamethasone 0.0005 MG/MG Topical Ointment", null],
  ["fentanyl 25 mcg/hr patch", "72 HR fentanyl 0.025 MG/HR Transdermal System", null],
  ["estradiol 0.1 mg/24 hr patch", "84 HR estradiol 0.00417 MG/HR Transdermal System", null],
  ["Junel 1-20 mg-mcg", "ethinyl estradiol 0.02 MG / norethindrone acetate 1 MG Oral Tablet", null],
  ["albuterol 2.5 mg/3 mL (0.083%)", "3 ML albuterol 0.83 MG/ML Inhalation Solution", null],
  ["Hydroxychloroquine 200 mg (155 mg base)", "hydroxychloroquine sulfate 200 MG Oral Tablet", null],
  ["Lantus 100 unit/mL", "insulin glargine 100 UNT/ML Injectable Solution [Lantus]", null],
  // One says less.
  ["Lisinopril", "lisinopril 20 MG Oral Tablet", null],
  ["Lisinopril 20 mg", "lisinopril", null],
  ["Ozempic 0.5 mg weekly", "3 ML semaglutide 0.68 MG/ML Pen Injector [Ozempic]", null],
  [
    "Symbicort 160/4.5",
    "120 ACTUAT budesonide 0.16 MG/ACTUAT / formoterol fumarate 0.0045 MG/ACTUAT Metered Dose Inhaler",
    null,
  ],
  ["ProAir inhaler", "200 ACTUAT albuterol 0.09 MG/ACTUAT Metered Dose Inhaler", null],
  ["zorblaxin 5 mg", "quuxamide 5 MG Oral Tablet", null],
  ["some unknown thing", "warfarin sodium 5 MG Oral Tablet", null],
  ["Voltaren gel 1% 100 g", "diclofenac sodium 0.01 MG/MG Topical Gel", null],
];

function MIXED_SALTS(): string {
  const salts = [
    "amphetamine aspartate",
    "amphetamine sulfate",
    "dextroamphetamine saccharate",
    "dextroamphetamine sulfate",
  ];
  return `${salts.map((salt) => `${salt} 5 MG`).join(" / ")} Oral Tablet`;
}

describe("a written drug and the drug of its NDC", () => {
  test("have at least 40 samples", () => {
    expect(samples.length).toBeGreaterThanOrEqual(40);
  });
  test.each(samples)("%s and %s: %s", (written, ndc_drug, differs) => {
    expect(compareDrug(shipped, written, ndc_drug)).toBe(differs);
  });

  test("every text of the shipped list agrees with itself", () => {
    const table = loadNdcTable();
    for (const ndc of ["00002015201", "00002021301", "72241007910", "64850050405", "63187003221", "50222022781"]) {
      const text = table.drugOf(ndc)!;
      expect(compareDrug(shipped, text, text), text).toBeNull();
    }
  });
});

test("strengths are read in comparable units", () => {
  expect(strengthsIn("20-12.5 mg")).toEqual([
    { kind: "mg", value: 20 },
    { kind: "mg", value: 12.5 },
  ]);
  expect(strengthsIn("300 mg-30 mg")).toEqual(strengthsIn("300/30 mg"));
  expect(strengthsIn("0.5 g")).toEqual(strengthsIn("500 mg"));
  expect(strengthsIn("10 mg/tablet")).toEqual(strengthsIn("10 mg"));
  expect(strengthsIn("1,000 units")).toEqual([{ kind: "unit", value: 1000 }]);
  expect(strengthsIn("24 HR, 30 tablets, 5 mL")).toEqual([]);
  const started = performance.now();
  strengthsIn("1-".repeat(5_000));
  strengthsIn("9".repeat(10_000));
  expect(performance.now() - started).toBeLessThan(20_000);
});

describe("the NDC table", () => {
  test("finds the drug of an NDC, and knows nothing about others", () => {
    const table = loadNdcTable();
    expect(table.size).toBeGreaterThan(200_000);
    expect(table.drugOf("00002015201")).toBe("0.5 ML tirzepatide 5 MG/ML Injection [Zepbound]");
    expect(table.drugOf("72241007910")).toBe("olmesartan medoxomil 20 MG Oral Tablet");
    expect(table.drugOf("70999010130")).toBeNull();
    expect(table.drugOf("99999999999")).toBeNull();
  });

  test("is read as it was written", () => {
    const rows = [
      { ndc: "99999999999", drug: "last" },
      { ndc: "00000000001", drug: "first" },
      { ndc: "00000000129", drug: "first" },
    ];
    const table = readNdcTable(writeNdcTable(rows));
    for (const { ndc, drug } of rows) expect(table.drugOf(ndc)).toBe(drug);
    expect(table.drugOf("00000000002")).toBeNull();
  });

  test("is rejected if it is damaged", () => {
    const bytes = writeNdcTable([{ ndc: "00000000001", drug: "one" }]);
    expect(() => readNdcTable(bytes.slice(0, -1))).toThrow("damaged");
    expect(() => readNdcTable(new Uint8Array([1, 2, 3]))).toThrow("not an NDC table");
    expect(() => writeNdcTable([{ ndc: "1", drug: "one" }])).toThrow("eleven digits");
  });
});
