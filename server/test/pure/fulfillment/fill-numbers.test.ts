import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { daysOfUnits, fillNumbers } from "../../../src/domain/fulfillment/fill-numbers.ts";
import { isOnFile, mayFollow, submissionStatuses } from "../../../src/domain/fulfillment/pmp-submission.ts";

const RUNS = { seed: 20_261_116, numRuns: 500 };
const short = (written_qty: number, refills: number, dispensed: number[]) =>
  fillNumbers(written_qty, refills, dispensed).map(({ refill_number, partial }) => `${refill_number}/${partial}`);

describe("the numbers of a prescription's fills", () => {
  test.each([
    ["whole fills are refills", 30, 2, [30, 30, 30], ["0/0", "1/0", "2/0"]],
    ["the parts of a schedule 2 fill are no refills", 60, 0, [30, 30], ["0/1", "0/2"]],
    ["parts belong to their fill", 60, 1, [20, 20, 20, 60], ["0/1", "0/2", "0/3", "1/0"]],
    ["a first part alone is already partial", 60, 0, [30], ["0/1"]],
    ["a part can reach into the next fill", 30, 2, [20, 20, 20], ["0/1", "0/2", "1/2"]],
    ["two fills at once count as a whole fill, and the next continues", 30, 2, [60, 30], ["0/0", "2/0"]],
    ["nothing was written", 0, 1, [5, 5], ["0/0", "1/0"]],
  ] as const)("%s", (_why, written_qty, refills, dispensed, expected) => {
    expect(short(written_qty, refills, [...dispensed])).toEqual([...expected]);
  });

  test("never count a part as a refill, and never exceed the authorized refills", () => {
    const units = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 5 }), units, (written, refills, all) => {
        let before = 0;
        for (const [index, { refill_number, partial }] of fillNumbers(written, refills, all).entries()) {
          expect(refill_number).toBe(Math.min(refills, Math.floor(before / written)));
          if (all[index]! < written) expect(partial).toBeGreaterThan(0);
          before += all[index]!;
        }
      }),
      RUNS,
    );
  });

  test("have days of supply in proportion to the units", () => {
    const days = (days_supply: number | null, units: number, written_qty: number | null) =>
      daysOfUnits({ days_supply, units, written_qty });
    expect(days(30, 30, 60)).toBe(15);
    expect(days(30, 60, 60)).toBe(30);
    expect(days(30, 90, 30)).toBe(90);
    expect(days(7, 1, 60)).toBe(1);
    expect(days(null, 30, 60)).toBeNull();
    expect(days(30, 30, 0)).toBe(30);
    expect(days(30, 30, null)).toBe(30);
  });
});

describe("a submission", () => {
  test("is submitted once and answered once", () => {
    const allowed = submissionStatuses.flatMap((before) =>
      submissionStatuses.filter((after) => mayFollow(before, after)).map((after) => `${before} to ${after}`),
    );
    expect(allowed).toEqual(["prepared to submitted", "submitted to accepted", "submitted to rejected"]);
  });

  test("is on file until it is voided", () => {
    expect([isOnFile([]), isOnFile(["new"]), isOnFile(["new", "revise"]), isOnFile(["new", "void"])]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isOnFile(["new", "void", "new"])).toBe(true);
  });
});
