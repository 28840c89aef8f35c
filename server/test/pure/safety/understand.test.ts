import { describe, expect, test } from "vitest";
import { assessSafety } from "../../../src/domain/safety/assess-safety.ts";
import { isUnderstood, readIngredient, understand } from "../../../src/domain/safety/texts/understand.ts";
import { medicalWords } from "../../../src/domain/values/text.ts";
import { found, holdsOf, NOW, shipped } from "../../support/samples/safety.ts";

const names = (text: string) => understand(shipped, text).substances.map(({ name }) => name);
const spelled = (text: string) => understand(shipped, text).did_you_mean.map(({ name }) => name);

/** What patients, partners and prescribers write, and the substances it means. */
const understood: [text: string, means: string[]][] = [
  // Names, with strengths, forms and times.
  ["metformin", ["metformin"]],
  ["Metformin 500 mg twice daily with meals", ["metformin"]],
  ["LISINOPRIL 10MG TABLET", ["lisinopril"]],
  ["lisinopril 10 mg po qd", ["lisinopril"]],
  ["amlodipine 5mg once a day", ["amlodipine"]],
  ["Levothyroxine 50 mcg every morning", ["levothyroxine"]],
  ["albuterol inhaler 2 puffs q4h prn", ["albuterol"]],
  ["insulin glargine 20 units at bedtime", ["insulin glargine"]],
  ["gabapentin 300 mg TID", ["gabapentin"]],
  ["omeprazole 20mg DR capsule", ["omeprazole"]],
  ["ibuprofen 200 mg as needed for pain", ["ibuprofen"]],
  ["fluticasone nasal spray", ["fluticasone"]],
  ["prednisone 10 mg taper", ["prednisone"]],
  ["nitroglycerin 0.4 mg SL prn chest pain", ["nitroglycerin"]],
  ["Nitrostat 0.4 mg as needed", ["nitroglycerin"]],
  ["latanoprost eye drops, both eyes, nightly", ["latanoprost"]],
  ["semaglutide 1 mg weekly injection", ["semaglutide"]],
  ["rosuvastatin 20 mg nightly for cholesterol", ["rosuvastatin"]],
  ["sertraline 100 mg since 2019 per Dr. Alvarez", ["sertraline"]],
  // Brands, of the tables and of RxNorm.
  ["Xyzal 5 mg", ["levocetirizine"]],
  ["Zoloft", ["sertraline"]],
  ["Lipitor 20mg", ["atorvastatin"]],
  ["Eliquis 5 mg BID", ["apixaban"]],
  ["Keppra 500 mg", ["levetiracetam"]],
  ["Xarelto", ["rivaroxaban"]],
  ["Farxiga", ["dapagliflozin"]],
  ["Invokana", ["canagliflozin"]],
  ["Symbicort 160/4.5", ["budesonide", "formoterol"]],
  ["Linzess", ["linaclotide"]],
  ["Namenda", ["memantine"]],
  ["Vesicare", ["solifenacin"]],
  ["Myrbetriq", ["mirabegron"]],
  ["Rexulti", ["brexpiprazole"]],
  ["Vraylar", ["cariprazine"]],
  ["Dupixent", ["dupilumab"]],
  ["Enbrel", ["etanercept"]],
  ["Stelara", ["ustekinumab"]],
  ["Otezla", ["apremilast"]],
  ["Biktarvy", ["bictegravir", "emtricitabine", "tenofovir alafenamide"]],
  ["Spiriva", ["tiotropium"]],
  ["Entresto", ["sacubitril", "valsartan"]],
  ["Qvar", ["beclomethasone"]],
  ["Humira pen", ["adalimumab"]],
  ["Toprol-XL 50", ["metoprolol"]],
  ["Bactrim DS", ["sulfamethoxazole", "trimethoprim"]],
  ["Tylenol with codeine", ["acetaminophen", "codeine"]],
  ["Ozempic/metformin", ["semaglutide", "metformin"]],
  ["Claritin-D 24 hour", ["loratadine", "pseudoephedrine"]],
  ["Nexplanon", ["etonogestrel"]],
  ["Depo-Provera", ["medroxyprogesterone"]],
  // Salts.
  ["metoprolol succinate", ["metoprolol"]],
  ["metoprolol tartrate 25 mg", ["metoprolol"]],
  ["sertraline hydrochloride", ["sertraline"]],
  ["sertraline HCl 100mg PO qAM", ["sertraline"]],
  ["losartan potassium 50 mg", ["losartan"]],
  ["diclofenac potassium", ["diclofenac"]],
  ["atorvastatin calcium", ["atorvastatin"]],
  ["amlodipine besylate", ["amlodipine"]],
  ["levothyroxine sodium", ["levothyroxine"]],
  ["warfarin sodium 5 mg", ["warfarin"]],
  ["fluticasone propionate", ["fluticasone"]],
  ["olmesartan medoxomil", ["olmesartan"]],
  ["paroxetine mesylate", ["paroxetine"]],
  ["escitalopram oxalate", ["escitalopram"]],
  ["quetiapine fumarate", ["quetiapine"]],
  ["doxycycline hyclate 100 mg", ["doxycycline"]],
  ["dabigatran etexilate", ["dabigatran"]],
  ["cefuroxime axetil", ["cefuroxime"]],
  ["lithium carbonate", ["lithium"]],
  ["isosorbide mononitrate ER 30", ["isosorbide mononitrate"]],
  // Abbreviations.
  ["NTG", ["nitroglycerin"]],
  ["NTG SL PRN", ["nitroglycerin"]],
  ["ISMN 30 mg", ["isosorbide mononitrate"]],
  ["ISDN", ["isosorbide dinitrate"]],
  ["HCTZ 25", ["hydrochlorothiazide"]],
  ["lisinopril/HCTZ 20/12.5", ["lisinopril", "hydrochlorothiazide"]],
  ["ASA 81 mg daily", ["aspirin"]],
  ["APAP", ["acetaminophen"]],
  ["MTX weekly", ["methotrexate"]],
  ["TMP-SMX", ["sulfamethoxazole", "trimethoprim"]],
  ["SMX/TMP DS", ["sulfamethoxazole", "trimethoprim"]],
  ["MOM", ["magnesium hydroxide"]],
  ["KCl 20 mEq", ["potassium chloride"]],
  ["Li 300 mg", ["lithium"]],
  ["PTU", ["propylthiouracil"]],
  ["AZT", ["zidovudine"]],
  ["6-MP", ["mercaptopurine"]],
  ["5-FU", ["fluorouracil"]],
  ["T3", ["liothyronine"]],
  ["T4", ["levothyroxine"]],
  ["T3/T4", ["liothyronine", "levothyroxine"]],
  ["INH", ["isoniazid"]],
  ["5-ASA", ["mesalamine"]],
  ["VPA", ["valproate"]],
  ["HCQ", ["hydroxychloroquine"]],
  ["hydrocodone-APAP 5-325", ["hydrocodone", "acetaminophen"]],
  // Classes.
  ["NSAIDs", ["nsaids"]],
  ["ACEi", ["ace_inhibitors"]],
  ["ACE inhibitors (cough)", ["ace_inhibitors"]],
  ["statins", ["statins", "cyp3a4_statins"]],
  ["SSRI", ["ssris_snris", "ssris"]],
  ["OCPs", ["estrogens", "hormonal_contraceptives", "combined_contraceptives"]],
  ["birth control pill", ["estrogens", "hormonal_contraceptives", "combined_contraceptives"]],
  ["sulfa drugs", ["sulfonamide_antibiotics"]],
  ["some MAO inhibitor", ["maois"]],
  // Herbs and supplements.
  ["St. John's wort", ["st johns wort"]],
  ["Saint John’s Wort 300 mg tid", ["st johns wort"]],
  ["St John wort", ["st johns wort"]],
  ["kratom", ["mitragynine"]],
  ["kratom powder, daily", ["mitragynine"]],
  ["potassium", ["potassium chloride"]],
  ["potassium 10 mEq daily", ["potassium chloride"]],
  ["salt substitute", ["potassium chloride"]],
  ["vitamin A 10,000 IU", ["vitamin a"]],
  ["vitamin K", ["vitamin k"]],
  ["ginkgo biloba", ["ginkgo biloba"]],
  ["CBD oil", ["cannabidiol"]],
  ["kava kava", ["kava"]],
  ["yohimbe", ["yohimbine"]],
  ["black licorice", ["licorice"]],
  ["grapefruit juice", ["grapefruit"]],
  ["red yeast rice", ["red yeast rice"]],
  ["5-HTP", ["tryptophan"]],
  ["melatonin 5 mg gummies", ["melatonin"]],
  ["turmeric", ["turmeric"]],
  ["CoQ10", ["ubidecarenone"]],
  ["fish oil", ["fish oil"]],
  ["omega-3", ["fish oil"]],
  ["vitamin D3 2000 units", ["cholecalciferol"]],
  ["vitamin B12", ["cyanocobalamin"]],
  ["biotin", ["biotin"]],
  ["iron", ["ferrous sulfate"]],
  // Several in one line.
  ["lisinopril, potassium chloride", ["lisinopril", "potassium chloride"]],
  ["aspirin; metformin; vitamin D3", ["aspirin", "metformin", "cholecalciferol"]],
  ["aspirin & metformin", ["aspirin", "metformin"]],
  ["losartan and hydrochlorothiazide", ["losartan", "hydrochlorothiazide"]],
];

describe("free text", () => {
  test("has at least 150 samples in this table", () => {
    expect(understood.length + misspelled.length + nothing.length + strange.length).toBeGreaterThanOrEqual(150);
  });

  test.each(understood)("%s is understood", (text, means) => {
    expect(names(text)).toEqual(means);
    expect(spelled(text)).toEqual([]);
    expect(understand(shipped, text).strange).toEqual([]);
    expect(isUnderstood(understand(shipped, text))).toBe(true);
  });
});

/** One likely meaning: it is checked as that, and a pharmacist looks. */
const misspelled: [text: string, means: string][] = [
  ["metroprolol", "metoprolol"],
  ["lisinipril 10 mg", "lisinopril"],
  ["atorvastin", "atorvastatin"],
  ["sertaline", "sertraline"],
  ["amoxicilin", "amoxicillin"],
  ["hydroclorothiazide", "hydrochlorothiazide"],
  ["omeprazol", "omeprazole"],
  ["levothyroxin", "levothyroxine"],
  ["warfrin", "warfarin"],
  ["asprin", "aspirin"],
  ["gabapentine", "gabapentin"],
  ["ibuprofin", "ibuprofen"],
  ["acetominophen", "acetaminophen"],
  ["Xanex", "alprazolam"],
  ["Lipitior", "atorvastatin"],
  ["clonazapam", "clonazepam"],
  ["phenelzien", "phenelzine"],
];

test.each(misspelled)("%s is read as %s, and says so", (text, name) => {
  expect(spelled(text)).toEqual([name]);
  expect(names(text)).toEqual([name]);
  expect(isUnderstood(understand(shipped, text))).toBe(false);
});

/** Nothing to check against. */
const nothing = [
  ...[
    "none",
    "None",
    "NONE.",
    "NKDA",
    "nkda",
    "no known allergies",
    "No known drug allergies.",
    "n/a",
    "N/A",
    "NA",
    "denies",
  ],
  ...[
    "",
    " ",
    "-",
    "--",
    "no medications",
    "No meds",
    "not taking any",
    "no current medications",
    "none reported",
    "nil",
  ],
  ...["multivitamin", "prenatal vitamin", "peanut butter", "shellfish", "pollen", "cats and dogs", "bee stings"],
  ...["strawberries", "seasonal allergies", "dust mites", "tomatoes", "protein powder", "probiotics"],
];

test.each(nothing)('"%s" is understood and names no drug', (text) => {
  expect(names(text)).toEqual([]);
  expect(isUnderstood(understand(shipped, text))).toBe(true);
});

/** Nothing here may pass as understood. */
const strange = [
  ...["zorblaxin", "Zorblaxin 5 mg", "penicillin and zorblaxin", "hives", "???", "青霉素", "unknown", "my heart pill"],
  ...["the white one", "qwertyuiop", "x", "blood pressure medicine", "metformin, zorblaxin", "something for sleep"],
  ...["aspirin zorblaxin", "hydrochloride"],
];

test.each(strange)('"%s" is not understood', (text) => {
  expect(isUnderstood(understand(shipped, text))).toBe(false);
  expect(spelled(text)).toEqual([]);
});

describe("spelling", () => {
  test("is never corrected in short words", () => {
    for (const text of ["zolo", "advi", "lipi", "nexi"]) expect(spelled(text), text).toEqual([]);
  });

  test("is never corrected from one known drug to another", () => {
    for (const name of ["prednisone", "prednisolone", "hydralazine", "hydroxyzine", "clonidine", "clonazepam"]) {
      expect(names(name)).toEqual([name]);
      expect(spelled(name)).toEqual([]);
    }
  });

  test("is not corrected if two drugs are equally near", () => {
    // One letter from prednisone and, by another one, from prednisolone.
    const { did_you_mean, strange: words } = understand(shipped, "hydroxazine");
    expect(did_you_mean.length + words.length).toBe(1);
    expect(understand(shipped, "predniso").did_you_mean).toEqual([]);
  });

  test("keeps the first letter", () => {
    expect(spelled("zertraline")).toEqual([]);
  });
});

describe("what is not understood", () => {
  test("holds the order for a pharmacist: 75 for a medication, 74 for an allergy", () => {
    const findings = found(["finasteride"], { medications: ["metformin", "zorblaxin"], allergies: ["quuxamide"] });
    expect(findings).toMatchObject([
      { kind: "unknown_drug", severity: "major", exception_id: 74, item_id: null },
      { kind: "unknown_drug", severity: "major", exception_id: 75, item_id: null },
    ]);
    expect(findings[1]!.message).toMatch(/^Entry 2 of the patient's medications could not be understood/);
    expect(JSON.stringify(findings)).not.toMatch(/zorblaxin|quuxamide/);
  });

  test("has a key of its own for each text, so that an override covers no other", () => {
    const key = (text: string) => holdsOf(found(["finasteride"], { medications: [text] }))[0];
    expect(key("zorblaxin")).toBe(key("  ZORBLAXIN "));
    expect(key("zorblaxin")).not.toBe(key("quuxamide"));
  });

  test("a misspelled drug counts as that drug, and asks", () => {
    const findings = found(["sertraline"], { medications: ["phenelzien 15 mg"] });
    expect(holdsOf(findings)).toContain("interaction phenelzine sertraline");
    const asked = findings.find(({ kind }) => kind === "unknown_drug");
    expect(asked).toMatchObject({
      severity: "moderate",
      exception_id: null,
      message: expect.stringContaining("Did you mean phenelzine?"),
    });
    const allergic = found(["amoxicillin"], { allergies: ["amoxicilin"] });
    expect(holdsOf(allergic)).toContain("allergy amoxicillin amoxicillin");
    expect(allergic.find(({ kind }) => kind === "unknown_drug")).toMatchObject({ exception_id: null });
    expect(holdsOf(found(["tretinoin"], { medications: ["lisinoprl 10 mg"], allergies: ["sulfamethoxazol"] }))).toEqual(
      [],
    );
  });

  test("a product whose ingredients no table knows holds with 75 on its item", () => {
    expect(found(["Zorblaxin hydrate"])).toMatchObject([
      { kind: "unknown_drug", exception_id: 75, item_id: 1, key: "unknown_drug item zorblaxin hydrate" },
    ]);
    expect(found(["finasteride"])).toEqual([]);
    expect(found(["levocetirizine dihydrochloride"])).toEqual([]);
    expect(found(["linaclotide"])).toEqual([]);
  });
});

test("a product that is not a drug is never checked, and one without ingredients holds", () => {
  const order = (is_drug: boolean) =>
    assessSafety(shipped, {
      items: [
        {
          item_id: 1,
          ingredients: [],
          gcn: null,
          days_supply: null,
          drug_schedule: "0",
          is_drug,
          drug: "",
          sig_text: null,
          units: null,
        },
      ],
      fills: [],
      allergies: ["zorblaxin"],
      medications: ["quuxamide"],
      conditions: [],
      patient: { dob: null, gender: null, weight_kg: null },
      now: NOW,
    });
  expect(order(false)).toEqual([]);
  expect(holdsOf(order(true))).toContain("unknown_drug item");
});

test("every name of the list is a known ingredient of a product", () => {
  const unknown = shipped.lexicon.names.filter(({ name }) => !readIngredient(shipped, name).known);
  // Words around a name, such as "sleep aid", are no names.
  expect(unknown.map(({ name }) => name).filter((name) => (shipped.phrases.get(name)?.says ?? null) === null)).toEqual(
    [],
  );
});

test("every abbreviation and every substance has a source, and means something", () => {
  const { abbreviations, substances, sources } = shipped.lexicon;
  for (const { text, source } of abbreviations) {
    expect(sources[source], text).toBeDefined();
    expect(understand(shipped, text).substances.length, text).toBeGreaterThan(0);
  }
  for (const { name, also, source } of substances) {
    expect(sources[source], name).toBeDefined();
    for (const text of [name, ...also]) expect(names(text).length, text).toBeGreaterThan(0);
  }
});

test("no word is in two lists of the lexicon, and all are in the form that texts are compared in", () => {
  const { salts, description } = shipped.lexicon;
  for (const word of [...salts, ...description]) expect(medicalWords(word)).toBe(word);
});
