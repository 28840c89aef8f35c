import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assessSafety } from "../../../src/domain/safety/assess-safety.ts";
import type { SafetyFinding } from "../../../src/domain/safety/finding.ts";
import { severities } from "../../../src/domain/safety/rows.ts";
import type { SafetyFacts } from "../../../src/domain/safety/safety-facts.ts";
import { daysAgo, found, NOW, shipped } from "../../support/samples/safety.ts";
import { effort } from "../../support/tools/effort.ts";

const RUNS = { seed: 20_261_115, numRuns: effort(1_500) };
const check = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>) => fc.assert(property, RUNS);

const { rows } = shipped;
const drug = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...rows.ingredients.map(({ ingredient }) => ingredient)) },
  { weight: 3, arbitrary: fc.constantFrom("phenelzine", "sertraline", "amoxicillin", "warfarin", "fluoxetine") },
  { weight: 1, arbitrary: fc.constantFrom("zorblaxin", "Quuxamide sodium", "") },
);
const allergy = fc.oneof(
  drug,
  fc.constantFrom(...rows.classes.flatMap(({ words }) => words), ...rows.excipients.map((row) => row.excipient)),
  fc.constantFrom("NKDA", "zorblaxin", "hives", "PCN, sulfa and Zorblaxin"),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
const medication = fc.oneof(
  drug.map((name) => `${name} 10 mg daily`),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
const product = fc.uniqueArray(drug, { minLength: 1, maxLength: 2 });
const gcn = fc.option(fc.constantFrom("1", "2", "3"));
const sig_text = fc.oneof(
  fc.constantFrom(
    "take 1 tablet by mouth twice daily",
    "1-2 tabs q4-6h prn pain",
    "take 5 mL daily",
    "apply to the skin daily",
    "inject 0.5 mg once weekly",
    "use as directed",
    "",
  ),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);
const condition = fc.oneof(
  fc.constantFrom(
    "pregnant",
    "J45.909",
    "no asthma; seizures",
    "CKD stage 4",
    "zorblaxitis",
    "none",
    "CHF",
    "glaucoma",
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
const days_supply = fc.option(fc.constantFrom(7, 30, 90));
const facts: fc.Arbitrary<SafetyFacts> = fc.record({
  items: fc
    .array(
      fc.record({
        ingredients: product,
        drug: fc.constantFrom("20 mg tablet", "250 mg/5 mL suspension", "0.05 % cream", "2 mg/3 mL pen", ""),
        is_drug: fc.constant(true),
        gcn,
        sig_text: fc.option(sig_text),
        units: fc.option(fc.constantFrom(1, 30, 90, 600)),
        days_supply,
        drug_schedule: fc.constantFrom("0", "2", "4"),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((items) => items.map((item, index) => ({ ...item, item_id: index + 1 }) as SafetyFacts["items"][number])),
  fills: fc
    .array(
      fc.record({
        ingredients: product,
        gcn,
        days_supply,
        shipped_at: fc.option(fc.integer({ min: 0, max: 150 }).map(daysAgo)),
      }),
      { maxLength: 4 },
    )
    .map((fills) => fills.map((fill, index) => ({ ...fill, order_number: `00${index}` }))),
  allergies: fc.array(allergy, { maxLength: 4 }),
  medications: fc.array(medication, { maxLength: 4 }),
  conditions: fc.array(condition, { maxLength: 4 }),
  patient: fc.record({
    dob: fc.option(fc.constantFrom("1950-06-01", "1990-01-31", "2015-12-31", "2026-01-01", "2030-01-01")),
    gender: fc.option(fc.constantFrom("M", "F")),
    weight_kg: fc.option(fc.constantFrom(12, 55, 80)),
  }),
  now: fc.constant(NOW),
});
const assess = (given: SafetyFacts) => assessSafety(shipped, given);
const told = ({ key, item_id }: SafetyFinding) => `${key} ${item_id}`;

/** Every finding of the first is in the second, with at least the same severity. */
function expectKept(before: readonly SafetyFinding[], after: readonly SafetyFinding[]): void {
  const by = new Map(after.map((finding) => [told(finding), finding]));
  for (const finding of before) {
    const same = by.get(told(finding));
    expect(same, told(finding)).toBeDefined();
    expect(severities.indexOf(same!.severity)).toBeLessThanOrEqual(severities.indexOf(finding.severity));
  }
}

describe("for any order and patient", () => {
  test("the sequence of items, fills, allergies and medications does not matter", () => {
    const turned = <Item>(list: readonly Item[], by: number) => [...list.slice(by), ...list.slice(0, by)].reverse();
    // Entries that were not recognized are named by their number.
    const plain = (findings: SafetyFinding[]) =>
      findings.map((finding) =>
        finding.kind === "unknown_drug" || /unreadable$/.test(finding.key) ? { ...finding, message: "" } : finding,
      );
    check(
      fc.property(facts, fc.nat(4), (given, by) => {
        const other = {
          ...given,
          items: turned(given.items, by),
          fills: turned(given.fills, by),
          allergies: turned(given.allergies, by),
          medications: turned(given.medications, by),
          conditions: turned(given.conditions, by),
        };
        expect(plain(assess(other))).toEqual(plain(assess(given)));
      }),
    );
  });

  test("two drugs interact the same, regardless of which is ordered and which is taken", () => {
    const interactions = (findings: SafetyFinding[]) =>
      findings.flatMap(({ kind, key, severity, message }) =>
        kind === "interaction" ? [[key, severity, message.replace(/ \([^)]*\): /, ": ")]] : [],
      );
    check(
      fc.property(drug, drug, (one, two) => {
        const in_order = interactions(found([one, two]));
        expect(interactions(found([two, one]))).toEqual(in_order);
        expect(interactions(found([one], { fills: [{ ingredients: [two] }] }))).toEqual(in_order);
        expect(interactions(found([two], { fills: [{ ingredients: [one] }] }))).toEqual(in_order);
      }),
    );
  });

  test("an additional allergy, medication or item never removes a finding", () => {
    check(
      fc.property(facts, allergy, medication, product, (given, one, other, ingredients) => {
        const before = assess(given);
        expectKept(before, assess({ ...given, allergies: [...given.allergies, one] }));
        expectKept(before, assess({ ...given, medications: [...given.medications, other] }));
        const added = {
          item_id: 99,
          ingredients,
          drug: "",
          is_drug: true,
          gcn: null,
          sig_text: null,
          units: null,
          days_supply: null,
          drug_schedule: "0" as const,
        };
        // A drug that no table has may be exactly the unrecognized word.
        const readable = before.filter(({ kind }) => kind !== "unknown_drug");
        expectKept(readable, assess({ ...given, items: [...given.items, added] }));
      }),
    );
  });

  test("each finding appears once, with its source and version, and holds exactly if it is worse than moderate", () => {
    const sources = new Set([...Object.values(rows.sources), "Rule of this service"]);
    check(
      fc.property(facts, (given) => {
        const findings = assess(given);
        expect(new Set(findings.map(told)).size).toBe(findings.length);
        for (const { kind, key, severity, exception_id, source, version, message, item_id } of findings) {
          expect(sources).toContain(source);
          expect(version).toBe(shipped.version);
          const of_allergies = kind === "allergy" || key.startsWith("unknown_drug allergies");
          const holds = of_allergies ? 74 : kind === "sig" ? 69 : 75;
          expect(exception_id).toBe(severity === "moderate" ? null : holds);
          expect(message).toMatch(/[.?]$/);
          expect(item_id === null || given.items.some((item) => item.item_id === item_id)).toBe(true);
        }
        const ranks = findings.map(({ severity }) => severities.indexOf(severity));
        expect(ranks).toEqual([...ranks].sort());
      }),
    );
  });

  test("no text of a patient is repeated", () => {
    const marker = "xyzzyq";
    check(
      fc.property(facts, fc.constantFrom("penicillin", "hives", ""), (given, beside) => {
        const text = `${beside} ${marker}`;
        const items = given.items.map((item) => ({ ...item, sig_text: text }));
        const findings = assess({ ...given, items, allergies: [text], medications: [text], conditions: [text] });
        expect(JSON.stringify(findings)).not.toContain(marker);
      }),
    );
  });
});
