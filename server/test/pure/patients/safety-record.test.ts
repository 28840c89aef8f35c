import { type SafetyLists, safetyKindNames, safetyKinds } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPossibleBirth } from "../../../src/domain/patients/birth-date.ts";
import { bodyWeight } from "../../../src/domain/patients/body-weight.ts";
import { saysNone } from "../../../src/domain/patients/none-words.ts";
import {
  emptySafety,
  LONGEST_ENTRY,
  MOST_ENTRIES,
  removedEntries,
  type SafetyRecord,
  safetyAnswer,
  safetyFactsChanged,
  upgradedSafety,
  withLists,
  withNone,
  withoutEntry,
  withTexts,
} from "../../../src/domain/patients/safety-record.ts";
import { effort } from "../../support/tools/effort.ts";

const at = new Date("2026-11-15T08:30:00Z");
const partner = { source: "partner", at } as const;
const prescriber = { source: "prescriber", at } as const;
const gone = { at: at.toISOString(), by: "pharmacy", reason: "Not true." } as const;
const runs = { seed: 20_261_116, numRuns: effort(1_000) };

const text = fc.constantFrom("penicillin", "PENICILLIN", "Latex", "none", "NKDA", "warfarin", "asthma");
const lists = fc.record(
  {
    medications: fc.array(text, { maxLength: 3 }),
    health_conditions: fc.array(text, { maxLength: 3 }),
    allergies: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
type Step = { by: "partner" | "prescriber" | "pharmacy"; sent: Partial<SafetyLists> } | { remove: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ by: fc.constantFrom("partner", "prescriber", "pharmacy"), sent: lists }),
  fc.record({ remove: fc.integer({ min: 1, max: 12 }) }),
);
const take = (safety: SafetyRecord, taken: Step): SafetyRecord =>
  "remove" in taken
    ? (withoutEntry(safety, taken.remove, gone) ?? safety)
    : withLists(safety, taken.sent, { source: taken.by, at }).safety;

describe("safety facts", () => {
  test("are never lost by a list, after any steps: only a removal takes an entry off the lists", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        let now = emptySafety;
        for (const taken of steps) {
          const next = take(now, taken);
          const before = safetyAnswer(now).entries.map(({ entry_id }) => entry_id);
          const after = safetyAnswer(next).entries.map(({ entry_id }) => entry_id);
          const lost = before.filter((id) => !after.includes(id));
          expect(lost).toEqual("remove" in taken && before.includes(taken.remove) ? [taken.remove] : []);
          // History stays, numbers are unique, and the lists repeat the entries.
          expect(next.entries.length).toBeGreaterThanOrEqual(now.entries.length);
          expect(new Set(next.entries.map(({ entry_id }) => entry_id)).size).toBe(next.entries.length);
          for (const kind of safetyKindNames) {
            const own = safetyAnswer(next).entries.filter((entry) => entry.kind === kind);
            expect(next[safetyKinds[kind].list]).toEqual(own.map((entry) => entry.text));
          }
          expect(upgradedSafety(JSON.parse(JSON.stringify(next)))).toEqual(next);
          now = next;
        }
      }),
      runs,
    );
  });

  test("repeated by anyone with equal or lower standing change nothing", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), lists, (steps, sent) => {
        const once = withLists(steps.reduce(take, emptySafety), sent, prescriber).safety;
        expect(JSON.stringify(withLists(once, sent, prescriber).safety)).toBe(JSON.stringify(once));
        expect(JSON.stringify(withLists(once, sent, partner).safety)).toBe(JSON.stringify(once));
      }),
      runs,
    );
  });

  test("of version 0.1.0 become entries with the same numbers each time, and keep their lists", () => {
    const old = fc.record({
      medications: fc.array(fc.string(), { maxLength: 5 }),
      health_conditions: fc.array(fc.string(), { maxLength: 5 }),
      allergies: fc.array(fc.string(), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(old, (stored) => {
        const upgraded = upgradedSafety(stored);
        expect(upgradedSafety(stored)).toEqual(upgraded);
        expect(upgraded).toMatchObject(stored);
        expect(upgraded.entries.every(({ source }) => source === "partner")).toBe(true);
        expect(upgraded.entries.map(({ entry_id }) => entry_id)).toEqual(upgraded.entries.map((_, index) => index + 1));
        expect(safetyFactsChanged(stored, upgraded)).toBe(false);
      }),
      runs,
    );
  });

  test("that version 0.1.0 adds beside this one become entries, and those it dropped stay", () => {
    const { safety } = withTexts(emptySafety, "allergy", ["penicillin"], prescriber);
    const beside = upgradedSafety({ ...safety, allergies: ["latex"] });
    expect(beside.allergies).toEqual(["penicillin", "latex"]);
    expect(beside.entries.map(({ source }) => source)).toEqual(["prescriber", "partner"]);
  });

  test("have a limit, and say when something did not fit", () => {
    const many = Array.from({ length: MOST_ENTRIES }, (_, index) => `drug ${index}`);
    const full = withTexts(emptySafety, "medication", many, partner);
    expect(full.fits).toBe(true);
    expect(withTexts(full.safety, "medication", ["DRUG 7"], partner)).toEqual(full);
    expect(withTexts(full.safety, "medication", ["one more"], partner)).toEqual({ safety: full.safety, fits: false });
    // Removed entries count, because the record keeps them.
    const removed = withoutEntry(full.safety, 1, gone)!;
    expect(withTexts(removed, "medication", ["one more"], partner).fits).toBe(false);
    expect(removedEntries(removed)).toMatchObject([{ entry_id: 1, removed: gone }]);
    expect(withTexts(full.safety, "allergy", ["latex"], partner).fits).toBe(true);
    expect(withLists(full.safety, { medications: ["one more"], allergies: ["latex"] }, partner).full).toEqual([
      "medications",
    ]);
    const long = withTexts(emptySafety, "allergy", [`${"😀".repeat(LONGEST_ENTRY)}`], prescriber);
    expect(long.fits).toBe(false);
    expect(long.safety.allergies[0]).toMatch(/^(😀)+…$/u);
    expect(long.safety.allergies[0]!.length).toBeLessThanOrEqual(LONGEST_ENTRY);
  });

  test("none known counts only where nothing is on file, and the prescriber's word replaces a partner's", () => {
    const { safety } = withTexts(emptySafety, "allergy", ["latex"], partner);
    expect(withNone(safety, "allergy", prescriber)).toBe(safety);
    const said = withNone(emptySafety, "allergy", partner);
    expect(said.none_known.allergy?.by).toBe("partner");
    const confirmed = withNone(said, "allergy", prescriber);
    expect(confirmed.none_known.allergy?.by).toBe("prescriber");
    expect(withNone(confirmed, "allergy", partner)).toBe(confirmed);
  });

  test("changed is true only if an entry was added or removed", () => {
    const { safety } = withTexts(emptySafety, "allergy", ["latex", "sulfa"], partner);
    expect(safetyFactsChanged(emptySafety, safety)).toBe(true);
    expect(safetyFactsChanged(safety, withoutEntry(safety, 1, gone)!)).toBe(true);
    expect(safetyFactsChanged(safety, withTexts(safety, "allergy", ["LATEX"], prescriber).safety)).toBe(false);
    expect(safetyFactsChanged(emptySafety, withNone(emptySafety, "allergy", partner))).toBe(false);
    expect(safetyFactsChanged(safety, { ...safety, allergies: ["Sulfa", "Latex"] })).toBe(false);
    const moved = { ...emptySafety, medications: ["latex"] };
    expect(safetyFactsChanged({ ...emptySafety, allergies: ["latex"] }, moved)).toBe(true);
  });
});

test.each<[number, string, number | null]>([
  [70, "kg", 70],
  [154, "[lb_av]", 69.853],
  [3_200, "G", 3.2],
  [0.2, "kg", 0.2],
  [650, "kg", 650],
  [-70, "kg", null],
  [0, "kg", null],
  [651, "kg", null],
  [70_000, "kg", null],
  [Number.NaN, "kg", null],
  [70, "", null],
  [11, "stone", null],
])("a weight of %d %j is %j kg", (value, unit, kg) => {
  expect(bodyWeight(value, unit)).toBe(kg);
});

test("words that mean none, by kind", () => {
  for (const word of ["None", "N/A", "nil", "None known."]) {
    for (const kind of safetyKindNames) expect([word, kind, saysNone(kind, word)]).toEqual([word, kind, true]);
  }
  expect(saysNone("allergy", "N.K.D.A.")).toBe(true);
  expect(saysNone("allergy", "NKDA")).toBe(true);
  expect(saysNone("medication", "NKDA")).toBe(false);
  expect(saysNone("medication", "No current medications")).toBe(true);
  expect(saysNone("condition", "Healthy")).toBe(true);
  for (const word of ["unknown", "not asked", "no known food allergies", "none but penicillin", "noneness"]) {
    expect([word, saysNone("allergy", word)]).toEqual([word, false]);
  }
});

test.each([
  ["1900-01-01", true],
  ["1899-12-31", false],
  ["2026-11-16", true],
  ["2026-11-17", false],
  ["2150-01-01", false],
])("a birth on %s is possible: %j", (dob, possible) => {
  expect(isPossibleBirth(dob, "2026-11-16")).toBe(possible);
});
