import { describe, expect, test } from "vitest";
import { linesNotShown, unlikeShown } from "../../support/tools/as-shown.ts";

/** What the documentation tests treat as equal. It must not be everything. */
describe("an answer matches the documented one", () => {
  test("if values that vary between runs have the same kind, and it may have more fields", () => {
    const shown = {
      id: 183601,
      at: "2026-11-15T19:27:21.782Z",
      order_number: "7K2M9XQ4TB",
      list: [{ a: 1 }],
      next: "…",
    };
    const got = {
      id: 190001,
      at: "2027-01-01T00:00:00.000Z",
      order_number: "A1KVM1G232",
      list: [{ a: 1, b: 2 }, { a: 3 }],
      next: 5,
      more: true,
    };
    expect(unlikeShown(shown, got)).toEqual([]);
  });

  test.each([
    ["another number", { amount_cents: 1695 }, { amount_cents: 1696 }],
    ["another word", { order_status: "Shipped" }, { order_status: "On Hold" }],
    ["a word for an id", { order_number: "7K2M9XQ4TB" }, { order_number: "none" }],
    ["another patient", { patient_id: "wren-1004" }, { patient_id: "otto-1012" }],
    ["a field that is missing", { a: 1 }, {}],
    ["null for something", { exception: null }, { exception: { id: 77 } }],
    ["something where nothing is shown", { exceptions: [] }, { exceptions: [{ id: 77 }] }],
    ["an entry that is missing", { list: [1, 2] }, { list: [1] }],
    ["another kind of value", { a: "1" }, { a: 1 }],
  ])("but not with %s", (_, shown, got) => {
    expect(unlikeShown(shown, got)).not.toEqual([]);
  });

  test("line by line, in order, regardless of column widths and ids", () => {
    const shown = "patient_id   wren-1004\nprescription_id  183601\nDelivered: Status 200 in 84 ms.";
    const got = "first\npatient_id       wren-1004\nprescription_id  190001\nDelivered: Status 200 in 3 ms.\n";
    expect(linesNotShown(shown, got)).toEqual([]);
    expect(linesNotShown("b\na", "a\nb")).toEqual(["a"]);
    expect(linesNotShown("2 faults", "3 faults")).toEqual(["2 faults"]);
    expect(linesNotShown("Status 200", "Status 500")).toEqual(["Status 200"]);
  });
});
