import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deaPasses, normaliseNdc, npiPasses } from "../../../src/domain/values/identifiers.ts";
import { deaSchedule, deaSchedules, quantityUnit, quantityUnits } from "../../../src/domain/values/quantity-units.ts";
import { effort } from "../../support/tools/effort.ts";

const RUNS = { seed: 20_261_115, numRuns: effort(1_000) };
const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length });

describe("an NPI", () => {
  test.each(["1234567893", "1245319599", "1679524268", "1003000126"])("%s passes", (npi) => {
    expect(npiPasses(npi)).toBe(true);
  });
  test.each(["1939842031", "1888888888", "3234567893", "123456789", "12345678933", "123456789A", ""])(
    "%j does not",
    (npi) => {
      expect(npiPasses(npi)).toBe(false);
    },
  );
  test("has exactly one check digit, and a wrong digit never passes", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("1", "2"),
        digits(8),
        fc.nat(8),
        fc.integer({ min: 1, max: 9 }),
        (first, body, at, by) => {
          const passing = Array.from("0123456789", (check) => first + body + check).filter(npiPasses);
          expect(passing).toHaveLength(1);
          const [npi] = passing as [string];
          const wrong = String((Number(npi[at + 1]) + by) % 10);
          expect(npiPasses(npi.slice(0, at + 1) + wrong + npi.slice(at + 2))).toBe(false);
        },
      ),
      RUNS,
    );
  });
});

describe("a DEA number", () => {
  test.each(["BL8426529", "FK5687427", "FD0876625", "AP9010000", "AA1234563", "F91234563", "AA1234563-0042"])(
    "%s passes",
    (dea) => {
      expect(deaPasses(dea)).toBe(true);
    },
  );
  test.each(["BB8027505", "AW1234567", "A1234563", "AA123456", "AA12345633", "aa1234563", "1A1234563", ""])(
    "%j does not",
    (dea) => {
      expect(deaPasses(dea)).toBe(false);
    },
  );
});

describe("an NDC", () => {
  test.each([
    ["70999010130", ["70999010130"]],
    ["70999-0101-30", ["70999010130"]],
    ["0999-0101-30", ["00999010130"]],
    ["70999-101-30", ["70999010130"]],
    ["70999-0101-3", ["70999010103"]],
    ["070999-0101-30", ["70999010130"]],
    ["70999 0101 30", ["70999010130"]],
    ["70999*0101*30", ["70999010130"]],
    ["70999-*101-30", ["70999010130"]],
    [" 70999 - 0101 - 30 ", ["70999010130"]],
    ["070999010130", ["70999010130"]],
    ["7099910130", ["07099910130", "70999010130", "70999101300"]],
    ["0000000000", ["00000000000"]],
  ])("%j means %j", (text, expected) => {
    expect(normaliseNdc(text)).toEqual(expected);
  });
  test.each([
    "",
    "NONE",
    "123456789",
    "170999010130",
    "00023-36136-70",
    "70999-0101",
    "70999-0101-30-1",
    "x".repeat(1e6),
  ])("%.20j is invalid", (text) => {
    expect(normaliseNdc(text)).toEqual([]);
  });
  test("of ten digits is among the candidates for the ten digits, for any position of the dashes", () => {
    const shapes = fc.constantFrom([4, 4, 2], [5, 3, 2], [5, 4, 1]);
    fc.assert(
      fc.property(digits(10), shapes, (ten, [labeler, product]) => {
        const cut = [ten.slice(0, labeler), ten.slice(labeler, labeler! + product!), ten.slice(labeler! + product!)];
        const dashed = normaliseNdc(cut.join("-"));
        expect(dashed).toHaveLength(1);
        expect(normaliseNdc(ten)).toContain(dashed[0]);
      }),
      RUNS,
    );
  });
});

describe("units and schedules", () => {
  test("there are 28 units, each found by its code, its name and its plural, in any case", () => {
    expect(Object.keys(quantityUnits)).toHaveLength(28);
    for (const [code, unit] of Object.entries(quantityUnits)) {
      expect([code, code.toLowerCase(), unit, unit.toUpperCase()].map(quantityUnit)).toEqual([unit, unit, unit, unit]);
    }
    expect(["Patches", "Pen Needles", "EA", "ML", "GM", "tabs"].map(quantityUnit)).toEqual([
      "patch",
      "pen needle",
      "each",
      "milliliter",
      "gram",
      "tablet",
    ]);
    expect(["", "C00000", "constructor", "__proto__"].map(quantityUnit)).toEqual([null, null, null, null]);
  });
  test("a schedule is found by its code, its digit and its numeral", () => {
    expect(Object.entries(deaSchedules).map(([code]) => deaSchedule(code))).toEqual(Object.values(deaSchedules));
    expect(["II", "cii", "C-II", "C2", "2"].map(deaSchedule)).toEqual(["2", "2", "2", "2", "2"]);
    expect(["", "6", "C48680", "VI", "constructor"].map(deaSchedule)).toEqual([null, null, null, null, null]);
  });
});
