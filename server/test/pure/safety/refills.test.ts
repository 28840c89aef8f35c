import type { DrugSchedule } from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { assessSafety } from "../../../src/domain/safety/assess-safety.ts";
import { readSafetyData } from "../../../src/domain/safety/data.ts";
import { daysAgo, keysOf, NOW, shipped, shippedJson } from "../../support/samples/safety.ts";

type Filled = {
  days_ago: number;
  days_supply: number | null;
  order_number?: string;
  prescription_id?: number;
  units?: number;
};

/** The findings for a refill of one drug after these fills. */
const refill = (
  drug_schedule: DrugSchedule,
  fills: readonly Filled[],
  {
    drug = "zolpidem",
    gcn = "1",
    data = shipped,
    ordered_units,
  }: { drug?: string; gcn?: string | null; data?: typeof shipped; ordered_units?: number } = {},
) =>
  assessSafety(data, {
    items: [
      {
        item_id: 7,
        ingredients: [drug],
        drug,
        is_drug: true,
        gcn,
        sig_text: null,
        units: ordered_units === undefined ? null : 30,
        days_supply: 30,
        drug_schedule,
        prescription_id: 5,
        ...(ordered_units !== undefined && { ordered_units }),
      },
    ],
    fills: fills.map(({ days_ago, days_supply, order_number, prescription_id = 4, units }, index) => ({
      prescription_id,
      order_number: order_number ?? String(index + 1),
      ingredients: [drug],
      gcn: "1",
      shipped_at: daysAgo(days_ago),
      days_supply,
      ...(units !== undefined && { units, written_qty: 30 }),
    })),
    allergies: [],
    medications: [],
    conditions: [],
    patient: { dob: null, gender: null, weight_kg: null },
    now: NOW,
  }).filter(({ kind }) => kind === "refill_too_soon");

/** One fill of 30 days every `every` days, the last one `every` days ago. */
const monthly = (count: number, every: number): Filled[] =>
  Array.from({ length: count }, (_, index) => ({ days_ago: every * (count - index), days_supply: 30 }));

describe("a refill", () => {
  test.each([
    ["0", 30, 23],
    ["0", 90, 68],
    ["0", 1, 1],
    ["4", 30, 26],
    ["4", 90, 77],
  ] as const)("of schedule %s for %i days is due after %i", (schedule, days_supply, due) => {
    const fills = (days_ago: number) => [
      { days_ago, days_supply },
      { days_ago: days_ago + 91, days_supply: 90, order_number: "0" },
    ];
    expect(refill(schedule, fills(due - 1))).toMatchObject([{ item_id: 7, key: "refill_too_soon zolpidem" }]);
    expect(refill(schedule, fills(due))).toEqual([]);
  });

  test.each(["2", "3", "4", "5"] as const)("of schedule %s holds the order if it is too early", (schedule) => {
    expect(refill(schedule, [{ days_ago: 25, days_supply: 30 }])).toMatchObject([
      { severity: "major", exception_id: 75, advice: expect.stringContaining("due") },
    ]);
  });

  test("is not the rest of a partial fill of schedule 2", () => {
    const part = { days_ago: 2, days_supply: 15, prescription_id: 5 };
    expect(refill("2", [part])).toEqual([]);
    expect(refill("2", [{ days_ago: 10, days_supply: 30 }, part])).toMatchObject([{ exception_id: 75 }]);
    expect(refill("3", [part])).toMatchObject([{ exception_id: 75 }]);
  });

  test.each(["3", "4", "5"] as const)("is not the rest of a partial fill of schedule %s", (schedule) => {
    const part = { days_ago: 3, days_supply: 10, prescription_id: 5, units: 10 };
    const order = (ordered_units: number, ...fills: Filled[]) => refill(schedule, fills, { ordered_units });
    expect(order(20, part)).toEqual([]);
    expect(order(10, part)).toEqual([]);
    expect(order(10, part, { ...part, days_ago: 2, order_number: "b" })).toEqual([]);
    // More than the rest, the next fill, and a part of another prescription are refills.
    expect(order(21, part)).toMatchObject([{ exception_id: 75 }]);
    expect(order(10, part, { ...part, days_ago: 2, days_supply: 20, units: 20 })).toMatchObject([{ exception_id: 75 }]);
    expect(order(20, { ...part, prescription_id: 4 })).toMatchObject([{ exception_id: 75 }]);
    // The fill before the part still counts.
    const early = { days_ago: 12, days_supply: 30, prescription_id: 4, units: 30 };
    expect(order(20, early, part)).toMatchObject([{ exception_id: 75 }]);
    expect(order(20, { ...early, days_ago: 26 }, part)).toEqual([]);
  });

  test("is what follows an order of several fills that ended within one", () => {
    const several = { days_ago: 3, days_supply: 63, prescription_id: 5, units: 63 };
    const after = (...fills: Filled[]) => refill("4", fills, { ordered_units: 10 });
    expect(after(several)).toMatchObject([{ severity: "major", exception_id: 75 }]);
    const rest = { days_ago: 2, days_supply: 5, prescription_id: 5, units: 5 };
    expect(after(several, rest)).toMatchObject([{ severity: "major", exception_id: 75 }]);
    // Two items of one order are one package.
    const item = { days_ago: 3, days_supply: 10, prescription_id: 5, units: 10, order_number: "1" };
    expect(after({ ...item, days_supply: 30, units: 30 }, item)).toMatchObject([{ severity: "major" }]);
    // A part after whole fills is a part again.
    const earlier = { ...several, days_ago: 60, days_supply: 60, units: 60 };
    expect(after(earlier, rest)).toEqual([]);
  });

  test("is due after the first part of a fill that was dispensed in parts", () => {
    const parts = (days_ago: number) => [
      { days_ago, days_supply: 10, prescription_id: 5, units: 10 },
      { days_ago: days_ago - 8, days_supply: 20, prescription_id: 5, units: 20 },
    ];
    expect(refill("4", parts(26), { ordered_units: 30 })).toEqual([]);
    expect(refill("4", parts(25), { ordered_units: 30 })).toMatchObject([{ exception_id: 75 }]);
  });

  test("of another drug only warns, even on the same day", () => {
    expect(refill("0", [{ days_ago: 0, days_supply: 30 }])).toMatchObject([
      { severity: "moderate", exception_id: null },
    ]);
  });

  test.each(["gabapentin", "butalbital", "isotretinoin"])("of %s holds by a rule of its own", (drug) => {
    expect(refill("0", [{ days_ago: 20, days_supply: 30 }], { drug })).toMatchObject([
      { severity: "major", exception_id: 75 },
    ]);
    expect(refill("0", [{ days_ago: 26, days_supply: 30 }], { drug })).toEqual([]);
  });

  test("says when it is due, and after which order", () => {
    expect(refill("0", [{ days_ago: 10, days_supply: 30 }])[0]!.message).toBe(
      "zolpidem was filled for 30 days with order 1: the next fill is due from 2026-11-28.",
    );
  });

  test("counts the items of one order together", () => {
    const twice = [
      { days_ago: 26, days_supply: 30, order_number: "9" },
      { days_ago: 26, days_supply: 30, order_number: "9" },
    ];
    expect(refill("4", twice)[0]!.message).toContain("filled for 60 days with order 9");
    expect(refill("4", twice.slice(1))).toEqual([]);
  });

  test("is recognized by its ingredients without a GCN, and is not checked without days of supply", () => {
    expect(keysOf(refill("0", [{ days_ago: 10, days_supply: 30 }], { gcn: null }))).toEqual([
      "refill_too_soon zolpidem",
    ]);
    expect(refill("0", [{ days_ago: 10, days_supply: null }])).toEqual([]);
  });
});

describe("early refills of a year", () => {
  test("hold a controlled drug when they add up to more than a week", () => {
    // Each fill comes 4 days early, which its own rule allows.
    expect(refill("4", monthly(2, 26))).toEqual([]);
    expect(refill("4", monthly(3, 26))).toMatchObject([
      {
        severity: "major",
        exception_id: 75,
        message:
          "zolpidem: the 3 fills of the last year leave about 12 days on hand: the next fill is due from 2026-11-16.",
      },
    ]);
  });

  test("warn for another drug after a month", () => {
    expect(refill("0", monthly(5, 23))).toEqual([]);
    expect(refill("0", monthly(6, 23))).toMatchObject([{ severity: "moderate", exception_id: null }]);
  });

  test("do not count after a pause, and on time they never add up", () => {
    const paused = [...monthly(2, 26).map((fill) => ({ ...fill, days_ago: fill.days_ago + 90 })), ...monthly(2, 26)];
    expect(refill("4", paused)).toEqual([]);
    expect(refill("4", monthly(12, 30))).toEqual([]);
    expect(refill("4", [{ days_ago: 366, days_supply: 360 }, ...monthly(1, 30)])).toEqual([]);
  });
});

test("tables from before these columns still hold controlled drugs", () => {
  const json = shippedJson();
  const data = readSafetyData({
    ...json,
    refill_rules: [
      { drug_schedules: ["0"], share: 0.75, source: "service" },
      { drug_schedules: ["2", "3", "4", "5"], share: 0.85, source: "service" },
    ],
  });
  expect(refill("4", [{ days_ago: 20, days_supply: 30 }], { data })).toMatchObject([{ exception_id: 75 }]);
  expect(refill("0", [{ days_ago: 20, days_supply: 30 }], { data })).toMatchObject([{ exception_id: null }]);
});
