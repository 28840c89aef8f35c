import { describe, expect, test } from "vitest";
import { assessSafety } from "../../../src/domain/safety/assess-safety.ts";
import type { SafetyFinding } from "../../../src/domain/safety/finding.ts";
import { ageOf } from "../../../src/domain/safety/patient-findings.ts";
import { readConditions } from "../../../src/domain/safety/texts/conditions.ts";
import { substancesOf } from "../../../src/domain/safety/texts/understand.ts";
import { medicalWords } from "../../../src/domain/values/text.ts";
import { NOW, shipped } from "../../support/samples/safety.ts";
import { type PanelPatient, quietPatients, riskyPatients } from "./panel-patients.ts";

const { rows } = shipped;
const ingredientsOf = (drug: string) => (drug.split(/ (?=[\d.]+)/)[0] as string).split("/").map(medicalWords);
const assess = (
  patient: Omit<PanelPatient, "expects" | "source">,
  ingredients = ingredientsOf(patient.drug),
): SafetyFinding[] =>
  assessSafety(shipped, {
    items: [
      {
        item_id: 1,
        ingredients,
        drug: patient.drug,
        is_drug: true,
        gcn: null,
        sig_text: patient.sig ?? null,
        units: patient.quantity ?? null,
        days_supply: patient.days ?? null,
        drug_schedule: "0",
      },
    ],
    fills: [],
    allergies: patient.allergies ?? [],
    medications: patient.list ?? [],
    conditions: patient.conditions ?? [],
    patient: {
      dob: patient.age === undefined ? null : `${2026 - patient.age}-06-01`,
      gender: patient.sex ?? null,
      weight_kg: null,
    },
    now: NOW,
  });
const holding = (findings: SafetyFinding[]) => findings.filter(({ exception_id }) => exception_id !== null);
const titled = (patients: PanelPatient[]) =>
  patients.map((one) => {
    const { drug, conditions = [], age, sex, sig } = one;
    return [[drug, ...conditions, age, sex, sig].filter(Boolean).join(", "), one] as const;
  });

describe("a patient at risk", () => {
  test.each(titled(riskyPatients))("%s", (_title, patient) => {
    const found = holding(assess(patient)).filter(({ kind }) => kind === patient.expects);
    expect(found).not.toEqual([]);
    const sources = found.map(({ source }) => source);
    const cited = patient.source === "rule" ? "Rule of this service" : rows.sources[patient.source];
    expect(sources).toContain(cited);
    for (const { advice, exception_id, message, kind } of found) {
      expect(advice).toMatch(/\.$/);
      expect(message).toMatch(/\.$/);
      expect(exception_id).toBe(kind === "sig" ? 69 : 75);
    }
  });
});

describe("a quiet patient", () => {
  test.each(titled(quietPatients))("%s", (_title, patient) => {
    expect(holding(assess(patient))).toEqual([]);
  });
});

test("the panel is large enough", () => {
  expect(riskyPatients.length).toBeGreaterThanOrEqual(120);
  expect(quietPatients.length).toBeGreaterThanOrEqual(40);
});

describe("conditions", () => {
  const read = (...texts: string[]) => {
    const { conditions, unreadable } = readConditions(shipped.patient_rules, texts);
    return [conditions.map(({ condition }) => condition).sort(), unreadable];
  };

  test.each([
    ["Pregnant", ["pregnancy"]],
    ["not pregnant", ["past_pregnancy"]],
    ["pregnant (O26.9), asthma", ["asthma", "pregnancy"]],
    ["no asthma; seizures", ["seizure"]],
    ["no asthma, seizures", ["seizure"]],
    ["no asthma, COPD or seizures", []],
    ["Denies seizures, eating disorders, MTC", []],
    ["denies asthma, has seizures", ["seizure"]],
    ["no personal or family history of MTC or MEN2", []],
    ["Pregnant? No", []],
    ["Seizures: none", ["none"]],
    ["asthma, not well controlled", ["asthma"]],
    ["Chronic kidney disease, stage 4 (severe)", ["kidney", "severe_kidney"]],
    ["non-ischemic cardiomyopathy", ["heart_failure"]],
    ["eGFR 24 mL/min", ["kidney", "severe_kidney"]],
    ["eGFR: <30", ["kidney", "severe_kidney"]],
    ["eGFR > 60", []],
    ["K+ 6.1", ["hyperkalemia"]],
    ["potassium 20 mEq", []],
    ["pregnant, 7 weeks", ["first_trimester", "pregnancy"]],
    ["38 weeks pregnant", ["near_term", "pregnancy"]],
    ["epilepsey", ["seizure"]],
    ["hypernatremia", ["no_rule"]],
    ["heart attack 3 weeks ago", ["heart_attack", "past_infarction", "recent_infarction"]],
    ["heart attack in 2015", ["heart_attack", "past_infarction"]],
    ["son has asthma", []],
    ["mother of two, asthma as a child", ["asthma"]],
    ["denies seizures or asthma", []],
    ["Asthma but no seizures", ["asthma"]],
    ["family history of breast cancer", []],
    ["family history of MTC", ["mtc_men2"]],
    ["mother had epilepsy", []],
    ["stroke in father", []],
    ["breastfeeding mother", ["breastfeeding"]],
    ["pregnant mother of two", ["pregnancy"]],
    ["wife is pregnant", ["pregnant_partner"]],
    ["Not pregnant or breastfeeding", ["past_pregnancy"]],
    ["planning to get pregnant", ["trying_to_conceive"]],
    ["glaucoma (narrow-angle)", ["glaucoma_narrow"]],
    ["C. diff 2023", ["c_diff"]],
    ["No asthma. Seizures", ["seizure"]],
    ["J45.909", ["asthma"]],
    ["j45", ["asthma"]],
    ["N18.4", ["kidney", "severe_kidney"]],
    ["N18.30", ["kidney"]],
    ["CKD stage 5", ["kidney", "severe_kidney"]],
    ["Parkinson's Disease", ["parkinson"]],
    ["NKDA none", ["none"]],
    ["None", ["none"]],
    ["hypertensión", ["hypertension"]],
  ] as const)("%s", (text, conditions) => {
    expect(read(text)[0]).toEqual(conditions);
  });

  test("that no table has are shown by their place, and hold nothing", () => {
    expect(read("asthma", "zorblaxitis", "none")).toEqual([["asthma", "none"], [2]]);
    const findings = assess({ drug: "atorvastatin 20 mg tablet", conditions: ["asthma", "zorblaxitis"] });
    expect(findings).toMatchObject([
      { kind: "condition", key: "condition_unreadable", severity: "moderate", exception_id: null, item_id: null },
    ]);
    expect(findings[0]?.message).toContain("read entry 2.");
    expect(JSON.stringify(findings)).not.toContain("zorblax");
  });

  test("of every row are recognized by each of their words and codes", () => {
    for (const { condition, words, icd10 } of rows.condition_words) {
      for (const text of [...words, ...words.map((word) => word.toUpperCase()), ...icd10]) {
        expect(read(text)[0], text).toContain(condition);
        expect(read(text)[1], text).toEqual([]);
      }
    }
  });
});

describe("rules about the patient", () => {
  const members = (term: string): string[] =>
    term.startsWith("class ")
      ? [...(shipped.classes.get(term.slice(6))?.ingredients ?? [])]
      : substancesOf(shipped, term).map(({ name }) => name);

  test("about conditions: every row finds each of its drugs", () => {
    for (const row of rows.condition_rules) {
      const word = rows.condition_words.find(({ condition }) => condition === row.condition)!.words[0]!;
      for (const drug of row.drugs.flatMap(members)) {
        if (row.except.includes(drug)) continue;
        const found = assess({ drug, conditions: [word], age: row.from ?? 40 }, [drug]).map(({ key }) => key);
        expect(found, `${drug} ${word}`).toContain(`condition ${row.condition} ${drug}`);
      }
    }
  });

  test("about age: every row finds at its ages, and the neighbors do not", () => {
    for (const row of rows.age_rules) {
      for (const drug of row.drugs.flatMap(members)) {
        if (row.except.includes(drug)) continue;
        const at = (age: number) =>
          assess({ drug, age }).some(({ key, message }) => key === `age ${drug}` && message.includes(row.reason));
        const inside = row.from ?? row.below! - 1;
        const worst = assess({ drug, age: inside }).find(({ key }) => key === `age ${drug}`);
        expect(worst, `${drug} at ${inside}`).toBeDefined();
        if (row.below !== null) expect(at(row.below), `${drug} at ${row.below}`).toBe(false);
        if (row.from !== null) expect(at(row.from - 1), `${drug} at ${row.from - 1}`).toBe(false);
      }
    }
  });

  test("about sex: every row finds for its sex only", () => {
    for (const row of rows.sex_rules) {
      for (const drug of row.drugs.flatMap(members)) {
        const of = (sex: "M" | "F") =>
          assess({ drug, sex, age: row.from ?? 30 }).some(({ key }) => key === `sex ${drug}`);
        expect(of(row.sex), drug).toBe(true);
        if (row.sex === "M")
          expect(
            of("F") && !rows.sex_rules.some((one) => one.sex === "F" && one.drugs.flatMap(members).includes(drug)),
            drug,
          ).toBe(false);
      }
    }
  });

  test("about weight: below the limit only, and never if it is unknown", () => {
    for (const { drugs, below_kg } of rows.weight_rules) {
      for (const drug of drugs.flatMap(members)) {
        const of = (weight_kg: number | null) =>
          assessSafety(shipped, {
            items: [
              {
                item_id: 1,
                ingredients: [drug],
                drug,
                is_drug: true,
                gcn: null,
                sig_text: null,
                units: null,
                days_supply: null,
                drug_schedule: "0",
              },
            ],
            fills: [],
            allergies: [],
            medications: [],
            conditions: [],
            patient: { dob: null, gender: null, weight_kg },
            now: NOW,
          }).map(({ key }) => key);
        expect(of(below_kg - 1)).toContain(`dose ${drug}`);
        expect(of(below_kg)).not.toContain(`dose ${drug}`);
        expect(of(null)).not.toContain(`dose ${drug}`);
      }
    }
  });

  test("about doses: the maximum passes, and a tenth more does not", () => {
    for (const { ingredient: name, max_per_day, unit, sex, from, below, words, severity } of rows.dose_limits) {
      const ingredient = members(name)[0]!;
      const age = from ?? (below === null ? 40 : below - 1);
      const at = (amount: number) =>
        assess({
          drug: `${ingredient} ${amount} ${unit} ${words[0] ?? ""} tablet`,
          age,
          ...(sex !== null && { sex }),
          sig: "take 1 tablet daily",
        }).find(({ key }) => key === `dose ${ingredient} daily`);
      expect(at(max_per_day), `${ingredient} ${max_per_day}`).toBeUndefined();
      expect(at(Number((max_per_day * 1.1).toFixed(4))), `${ingredient} above ${max_per_day}`).toMatchObject({
        severity,
      });
    }
  });

  test("about weekly drugs: daily directions are found, weekly ones pass", () => {
    for (const { drugs, strengths, words, severity } of rows.weekly_drugs) {
      for (const ingredient of drugs.flatMap(members)) {
        const drug = `${ingredient} ${strengths[0] ?? 5} ${strengths[0] === 50000 ? "units" : "mg"} ${words[0] ?? ""}`;
        const at = (sig: string) => assess({ drug, sig }).find(({ key }) => key === `dose ${ingredient} weekly`);
        expect(at("inject 1 mL daily"), drug).toMatchObject({ severity, kind: "dose" });
        expect(at("inject 1 mL every 6 months"), drug).toBeUndefined();
      }
    }
  });

  test("there are enough of them", () => {
    expect(rows.condition_rules.length).toBeGreaterThanOrEqual(200);
    expect(rows.dose_limits.length).toBeGreaterThanOrEqual(150);
  });
});

describe("the age", () => {
  test.each([
    ["2000-11-15", 26],
    ["2000-11-16", 25],
    ["2026-11-15", 0],
    ["2026-11-16", null],
    [null, null],
  ] as const)("of %s is %s", (dob, age) => {
    expect(ageOf(dob, NOW)).toBe(age);
  });

  test("and the sex find nothing if they are unknown", () => {
    for (const drug of ["zolpidem", "aspirin", "finasteride", "diphenhydramine", "codeine"]) {
      expect(assess({ drug }), drug).toEqual([]);
    }
  });
});

describe("directions", () => {
  const of = (drug: string, sig: string, quantity: number, days: number) =>
    assess({ drug, sig, quantity, days })
      .filter(({ kind }) => kind === "sig")
      .map(({ exception_id }) => exception_id);

  test("hold with 69 if the quantity contradicts them", () => {
    expect(of("metformin 500 mg tablet", "take 1 tablet twice daily", 30, 30)).toEqual([69]);
    expect(of("metformin 500 mg tablet", "take 1 tablet twice daily", 60, 30)).toEqual([]);
    expect(of("metformin 500 mg tablet", "take 1-2 tablets daily", 30, 30)).toEqual([]);
    expect(of("metformin 500 mg tablet", "take 1-2 tablets daily", 60, 30)).toEqual([]);
    expect(of("metformin 500 mg tablet", "take 1-2 tablets daily", 90, 30)).toEqual([69]);
  });

  test("as needed only warn, and only about too many", () => {
    expect(of("metformin 500 mg tablet", "take 1 tablet daily as needed", 10, 30)).toEqual([]);
    expect(of("metformin 500 mg tablet", "take 1 tablet daily as needed", 90, 30)).toEqual([null]);
  });

  test("compare only what is counted alike", () => {
    for (const [drug, sig] of [
      ["fluticasone 50 mcg/actuation inhaler", "inhale 2 puffs twice daily"],
      ["timolol 0.5 % ophthalmic solution", "instill 1 drop in both eyes daily"],
      ["semaglutide 2 mg/3 mL pen", "inject 0.5 mg once weekly"],
      ["tretinoin 0.025 % cream", "use 1 daily"],
      ["amoxicillin 250 mg/5 mL suspension", "take 250 mg daily"],
    ] as const) {
      expect(of(drug, sig, 5, 90), drug).toEqual([]);
    }
  });

  test("that it could not read warn where the dose matters, and never hold", () => {
    expect(assess({ drug: "atorvastatin 20 mg tablet", sig: "per protocol" })).toMatchObject([
      { kind: "sig", severity: "moderate", exception_id: null },
    ]);
    expect(assess({ drug: "methotrexate 2.5 mg tablet", sig: "as directed" })).toMatchObject([
      { kind: "sig", severity: "moderate", exception_id: null },
    ]);
    const unknown = assess({ drug: "zorblaxin 20 mg tablet", sig: "per protocol" });
    expect(unknown.filter(({ kind }) => kind === "sig")).toEqual([]);
  });

  test("of two products with one ingredient add up", () => {
    const item = (item_id: number, drug: string, ingredients: string[], sig_text: string) => ({
      item_id,
      ingredients,
      drug,
      is_drug: true,
      gcn: null,
      sig_text,
      units: null,
      days_supply: null,
      drug_schedule: "0" as const,
    });
    const findings = assessSafety(shipped, {
      items: [
        item(1, "acetaminophen 500 mg tablet", ["acetaminophen"], "take 1 tablet every 6 hours"),
        item(
          2,
          "hydrocodone/acetaminophen 5-325 mg tablet",
          ["hydrocodone", "acetaminophen"],
          "take 2 tablets every 6 hours",
        ),
      ],
      fills: [],
      allergies: [],
      medications: [],
      conditions: [],
      patient: { dob: null, gender: null, weight_kg: null },
      now: NOW,
    });
    const doses = findings.filter(({ kind }) => kind === "dose");
    expect(doses.map(({ item_id }) => item_id)).toEqual([1, 2]);
    expect(doses[0]?.message).toContain("4600 mg");
  });
});
