import { describe, expect, test } from "vitest";
import { checkedOrder } from "../../../src/domain/safety/checked-order.ts";
import { unavailableFinding } from "../../../src/domain/safety/finding.ts";
import { understand } from "../../../src/domain/safety/texts/understand.ts";
import { daysAgo, found, holdsOf, keysOf, NOW, shipped } from "../../support/samples/safety.ts";

/** Texts that look like a finding and are not: none of these may hold an order. */
const nearMisses: [what: string, drugs: string[], told: Parameters<typeof found>[1]][] = [
  ["a macrolide and a penicillin allergy", ["azithromycin"], { allergies: ["Penicillin"] }],
  ["a monobactam and a penicillin allergy", ["aztreonam"], { allergies: ["Penicillin (anaphylaxis)"] }],
  ["clindamycin and an erythromycin allergy", ["clindamycin"], { allergies: ["erythromycin"] }],
  ["acetaminophen and an aspirin allergy", ["acetaminophen"], { allergies: ["ASA"] }],
  ["a sulfate and a sulfa allergy", ["albuterol"], { allergies: ["sulfa drugs"] }],
  ["lidocaine and a procaine allergy", ["lidocaine"], { allergies: ["Novocain"] }],
  ["fentanyl and a methadone allergy", ["fentanyl"], { allergies: ["methadone"] }],
  ["a gabapentinoid and a phenytoin allergy", ["gabapentin"], { allergies: ["Dilantin"] }],
  ["an SGLT2 inhibitor and a GLP-1 allergy", ["empagliflozin"], { allergies: ["Ozempic"] }],
  ["no known allergies", ["amoxicillin"], { allergies: ["NKDA"] }],
  ["no known allergies, written out", ["amoxicillin"], { allergies: ["No known drug allergies."] }],
  ["an allergy to pollen", ["amoxicillin"], { allergies: ["Seasonal (pollen)"] }],
  ["rosuvastatin and a strong CYP3A4 inhibitor", ["rosuvastatin", "clarithromycin"], {}],
  ["a triptan that MAO does not clear, and a MAO inhibitor", ["naratriptan", "phenelzine"], {}],
  ["an SSRI and a statin", ["sertraline", "atorvastatin"], {}],
  ["a PDE5 inhibitor and an ACE inhibitor", ["sildenafil", "lisinopril"], {}],
  ["nitrofurantoin is no nitrate", ["nitrofurantoin", "sildenafil"], {}],
  ["pantoprazole and clopidogrel", ["pantoprazole", "clopidogrel"], {}],
  ["topical tretinoin and doxycycline", ["tretinoin", "doxycycline"], {}],
  ["losartan potassium is no potassium", ["lisinopril"], { medications: ["diclofenac potassium 50 mg"] }],
  ["tizanidine and a fluoroquinolone that leaves CYP1A2 alone", ["tizanidine", "levofloxacin"], {}],
  [
    "an SSRI six weeks after a MAO inhibitor",
    ["sertraline"],
    { fills: [{ ingredients: ["phenelzine"], shipped_at: daysAgo(72) }] },
  ],
  [
    "a combination and its own ingredients",
    ["lopinavir + ritonavir"],
    { fills: [{ ingredients: ["lopinavir", "ritonavir"] }] },
  ],
  ["the same drug, listed as taken", ["methadone"], { medications: ["methadone"] }],
];

test.each(nearMisses)("near miss: %s", (_what, drugs, told) => {
  expect(holdsOf(found(drugs, told))).toEqual([]);
});

test.each([
  ["insulin glargine", "Humalog", []],
  ["insulin lispro", "Lantus 20 units at bedtime", []],
  ["insulin", "Novolog", []],
  ["insulin glargine", "Tresiba", ["duplicate_therapy basal_insulins insulin degludec insulin glargine"]],
  ["insulin lispro", "Fiasp", ["duplicate_therapy mealtime_insulins insulin aspart insulin lispro"]],
])("%s beside %s: only two insulins of the same kind are a duplicate", (drug, listed, keys) => {
  expect(keysOf(found([drug], { medications: [listed] }))).toEqual(keys);
});

describe("an allergy", () => {
  test("with a side effect only concerns the drug itself", () => {
    const holds = (drug: string, allergy: string) => holdsOf(found([drug], { allergies: [allergy] }));
    expect(holds("codeine", "codeine - nausea")).toEqual(["allergy codeine codeine"]);
    expect(holds("oxycodone", "codeine - nausea")).toEqual([]);
    expect(holds("oxycodone", "codeine - nausea and hives")).toEqual(["allergy codeine oxycodone"]);
    expect(holds("oxycodone", "codeine")).toEqual(["allergy codeine oxycodone"]);
    expect(holds("cephalexin", "codeine - nausea, amoxicillin")).toEqual(["allergy amoxicillin cephalexin"]);
  });

  test("to an inactive ingredient depends on the form", () => {
    const holds = (drug: string, product: string, allergy: string) =>
      holdsOf(found([drug], { allergies: [allergy] }, shipped, product));
    expect(holds("testosterone", "testosterone enanthate 200 mg/mL", "sesame")).toEqual([
      "allergy sesame testosterone",
    ]);
    expect(holds("testosterone", "testosterone 1.62 % gel", "sesame")).toEqual([]);
    expect(holds("fluticasone", "Flovent Diskus", "milk protein")).toEqual(["allergy milk protein fluticasone"]);
    expect(holds("fluticasone", "Flonase nasal spray", "milk protein")).toEqual([]);
  });

  test("is graded by closeness: the drug, its class, a related class", () => {
    const to = (drug: string, allergy: string) => found([drug], { allergies: [allergy] })[0]!;
    expect(to("amoxicillin", "amoxicillin")).toMatchObject({
      severity: "contraindicated",
      key: "allergy amoxicillin amoxicillin",
      message: "The patient is allergic to amoxicillin.",
    });
    expect(to("amoxicillin", "PCN")).toMatchObject({
      severity: "major",
      key: "allergy penicillins amoxicillin",
      message: "The patient is allergic to penicillins, and amoxicillin is in the same class (penicillins).",
    });
    expect(to("cephalexin", "Augmentin")).toMatchObject({
      severity: "major",
      exception_id: 74,
      key: "allergy amoxicillin cephalexin",
      message: expect.stringContaining("may cross-react: they share a side chain"),
    });
    expect(to("ceftriaxone", "Augmentin")).toMatchObject({ severity: "moderate", exception_id: null });
    expect(to("furosemide", "Bactrim")).toMatchObject({ severity: "moderate", exception_id: null });
  });

  test("to several substances in one line is read one by one", () => {
    expect(holdsOf(found(["amoxicillin", "naproxen"], { allergies: ["PCN, aspirin & latex"] }))).toEqual([
      "allergy aspirin naproxen",
      "allergy penicillins amoxicillin",
    ]);
  });

  test.each([
    ["a word the tables do not know", ["Zorblaxin"], [1]],
    ["a word beside one they know", ["NKDA", "penicillin and zorblaxin"], [2]],
    ["a misspelling of two drugs", ["amiloridine", "NKA"], [1]],
    ["a misspelling that is far from its drug", ["hydroxine", "NKA"], [1]],
    ["a reaction without a cause", ["hives"], [1]],
    ["another script", ["青霉素"], [1]],
    ["signs", ["???"], [1]],
    ["unknown", ["Unknown"], [1]],
  ])("that says %s holds, names the entry and repeats nothing", (_what, allergies, entries) => {
    const findings = found(["tretinoin"], { allergies });
    expect(findings).toMatchObject([{ kind: "unknown_drug", exception_id: 74, severity: "major", item_id: null }]);
    expect(findings[0]!.message).toMatch(new RegExp(`^Entry ${entries.join(", ")} of the patient's allergies`));
    expect(JSON.stringify(findings).toLowerCase()).not.toContain("zorblaxin");
  });

  test("to a drug that no table has still holds that drug", () => {
    const findings = found(["Zorblaxin hydrate"], { allergies: ["zorblaxin hydrate tablets (rash)"] });
    expect(findings).toMatchObject([
      { key: "allergy zorblaxin hydrate zorblaxin hydrate", exception_id: 74, severity: "contraindicated" },
      { key: "unknown_drug item zorblaxin hydrate", exception_id: 75, item_id: 1 },
    ]);
  });

  test("is matched to products by salt and by brand", () => {
    for (const ingredient of ["Amoxicillin trihydrate", "amoxicillin/clavulanate potassium", "AMOXIL"]) {
      expect(holdsOf(found([ingredient], { allergies: ["penicillin"] }))).toEqual(["allergy penicillins amoxicillin"]);
    }
  });
});

describe("free text", () => {
  test.each([
    ["Zoloft 50 mg daily", ["sertraline"]],
    ["sertraline HCl 100mg PO qAM", ["sertraline"]],
    ["St. John’s Wort (herbal)", ["st johns wort"]],
    ["isosorbide mononitrate ER 30", ["isosorbide mononitrate"]],
    ["Bactrim DS", ["sulfamethoxazole", "trimethoprim"]],
    ["Tylenol #3", ["acetaminophen", "codeine"]],
    ["Toprol-XL", ["metoprolol"]],
    ["an MAO-inhibitor", ["maois"]],
    ["ÉRYTHROMYCIN", ["erythromycin"]],
    ["Ozempic/metformin", ["semaglutide", "metformin"]],
    ["multivitamin", []],
  ])("%s is understood", (text, names) => {
    expect(understand(shipped, text).substances.map(({ name }) => name)).toEqual(names);
  });
});

describe("an interaction", () => {
  test("names the classes, the source of the other drug, the effect, and the source of the rule", () => {
    expect(found(["sertraline"], { medications: ["Nardil 15 mg"] })).toEqual([
      {
        kind: "interaction",
        severity: "contraindicated",
        exception_id: 75,
        item_id: 1,
        key: "interaction phenelzine sertraline",
        message:
          "phenelzine [MAO inhibitors] and sertraline [SSRIs, SNRIs and similar antidepressants] (which the patient reportedly takes): serotonin syndrome.",
        advice: expect.stringContaining("14 days"),
        source: shipped.rows.sources["onc"],
        version: shipped.version,
      },
    ]);
  });

  test("with a class that the patient names counts", () => {
    expect(holdsOf(found(["sertraline"], { medications: ["some MAO inhibitor"] }))).toEqual([
      "interaction maois sertraline",
    ]);
  });

  test("appears once per item, with its worst row", () => {
    const fills = [{ ingredients: ["tramadol"] }, { ingredients: ["Ultram"], shipped_at: null }];
    const findings = found(["phenelzine"], { fills, medications: ["tramadol"] });
    expect(findings).toMatchObject([{ key: "interaction phenelzine tramadol", severity: "contraindicated" }]);
  });

  test("with a fill without days of supply counts for as long as the table says", () => {
    const { unknown_days_supply, grace_days } = shipped.rows;
    const at = (days: number) =>
      holdsOf(
        found(["methotrexate"], {
          fills: [{ ingredients: ["trimethoprim"], days_supply: null, shipped_at: daysAgo(days) }],
        }),
      );
    expect(at(unknown_days_supply + grace_days)).toHaveLength(1);
    expect(at(unknown_days_supply + grace_days + 1)).toEqual([]);
  });
});

describe("the same drug twice", () => {
  const doubled = (...given: Parameters<typeof found>) =>
    found(...given)
      .filter(({ kind }) => kind === "duplicate_therapy")
      .map(({ key }) => key);

  test("in an order, in another strength or in transit is a warning", () => {
    expect(doubled(["sertraline", "Zoloft"])).toEqual(["duplicate_therapy sertraline"]);
    expect(doubled(["sertraline"], { fills: [{ ingredients: ["sertraline"] }] })).toEqual([
      "duplicate_therapy sertraline",
    ]);
    const on_its_way = { ingredients: ["sertraline"], gcn: "item 1", shipped_at: null };
    expect(doubled(["sertraline"], { fills: [on_its_way] })).toEqual(["duplicate_therapy sertraline"]);
  });

  test("is not reported for the previous fill or a used-up supply", () => {
    expect(doubled(["sertraline"], { fills: [{ ingredients: ["sertraline"], gcn: "item 1" }] })).toEqual([]);
    expect(doubled(["sertraline"], { fills: [{ ingredients: ["sertraline"], shipped_at: daysAgo(40) }] })).toEqual([]);
  });
});

test("an engine that is unfit holds the order", () => {
  expect(unavailableFinding()).toMatchObject({ kind: "unavailable", exception_id: 75, item_id: null });
});

describe("a listed kind of drug", () => {
  test("counts as its worst member", () => {
    expect(holdsOf(found(["naproxen"], { medications: ["blood thinner"] }))).toEqual([
      "interaction naproxen oral_anticoagulants",
    ]);
    expect(holdsOf(found(["warfarin"], { medications: ["blood thinner"] }))).toEqual([]);
  });

  test("belongs to every wider kind", () => {
    expect(holdsOf(found(["ibuprofen"], { medications: ["ACE inhibitor", "HCTZ"] }))).toContain(
      "interaction nephrotoxic_triple ibuprofen",
    );
  });
});

test("a brand has all its ingredients, also those that the tables do not name", () => {
  expect(holdsOf(found(["tranexamic acid"], { medications: ["Annovera"] }))).toContain(
    "interaction ethinyl estradiol tranexamic acid",
  );
});

test("a brand for another use is a second therapy, and other names of one pill are not", () => {
  expect(holdsOf(found(["bupropion"], { medications: ["Zyban"] }))).toEqual(["duplicate_therapy bupropion"]);
  expect(holdsOf(found(["bupropion"], { medications: ["Wellbutrin"] }))).toEqual([]);
  expect(holdsOf(found(["ethinyl estradiol + norgestimate"], { medications: ["Sprintec"] }, shipped, "Mili"))).toEqual(
    [],
  );
});

test("a listed line with two drugs is two medications, also if the tables know the pair by one name", () => {
  const takenOf = (medications: string[]) =>
    checkedOrder(shipped, {
      items: [],
      fills: [],
      medications,
      allergies: [],
      conditions: [],
      patient: { dob: null, gender: null, weight_kg: null },
      now: NOW,
    }).taken;
  const pairs = [...shipped.phrases.keys()].flatMap((words) => {
    const parts = words.split(" and ").filter((part) => understand(shipped, part).substances.length > 0);
    return parts.length === 2 ? [[words, parts] as const] : [];
  });
  expect(pairs.length).toBeGreaterThan(20);
  for (const [words, parts] of pairs) {
    const drugs = takenOf([words]).map(({ substances }) => substances);
    expect([words, drugs]).toEqual([words, takenOf(parts).map(({ substances }) => substances)]);
  }
});
