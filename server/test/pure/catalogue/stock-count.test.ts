import { countReasonNames, countReasons } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideCount, isCountDue } from "../../../src/domain/catalogue/stock-count.ts";

const RUNS = { seed: 20_261_116, numRuns: 500 };

describe("a count of a controlled substance", () => {
  test("is accepted only from a pharmacist, and only with every difference explained", () => {
    const units = fc.integer({ min: 0, max: 5 });
    const reason = fc.option(fc.constantFrom(...countReasonNames, "because", "toString"));
    const explanation = fc.option(
      fc.constantFrom("", "short", "   spaces   ", "nine char", "ten letter", "One bottle broke."),
    );
    fc.assert(
      fc.property(units, units, fc.boolean(), reason, explanation, (ledger, counted, by_pharmacist, code, text) => {
        const decided = decideCount({ on_hand_units: ledger }, counted, {
          by_pharmacist,
          reason: code,
          explanation: text,
        });
        const explained = code !== null && Object.keys(countReasons).includes(code) && (text ?? "").trim().length >= 10;
        expect("count" in decided).toBe(by_pharmacist && (ledger === counted || explained));
        if ("count" in decided) {
          expect(decided.count).toMatchObject({ counted_units: counted, ledger_units: ledger });
          expect(decided.count.reason === null).toBe(ledger === counted);
        }
      }),
      RUNS,
    );
  });

  test("is due two years after the last one", () => {
    expect(isCountDue("2024-11-16", "2026-11-16")).toBe(false);
    expect(isCountDue("2024-11-16", "2026-11-17")).toBe(true);
    expect(isCountDue("2024-02-29", "2026-02-28")).toBe(false);
    expect(isCountDue("2024-02-29", "2026-03-01")).toBe(true);
  });
});
