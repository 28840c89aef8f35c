import { expect, test } from "vitest";
import { isConflict, RACED_CONSTRAINTS } from "../../../src/db/conflict.ts";

/** As the driver throws it. */
const violation = (code: string, constraint?: string) =>
  Object.assign(new Error("violates"), { code, severity: "ERROR", constraint });

test("a failed guard and a deadlock are conflicts", () => {
  expect(isConflict(violation("40001"))).toBe(true);
  expect(isConflict(violation("40P01"))).toBe(true);
});

test("a constraint that only a race violates is a conflict", () => {
  for (const [constraint, code] of Object.entries(RACED_CONSTRAINTS)) {
    expect([constraint, isConflict(violation(code, constraint))]).toEqual([constraint, true]);
  }
});

test("a violation that no race explains is a fault of ours: it is not retried and does not become a 503", () => {
  for (const [code, constraint] of [
    ["23514", "orders_order_status_check"],
    ["23514", "prescription_check"],
    ["23514", "stock_on_hand_units_check"],
    ["23505", "order_item_pkey"],
    ["23505", "order_exception_open"],
    ["23505", undefined],
    ["23503", "order_item_account_id_sku_fkey"],
    // A name alone is not enough: a failed check is not a unique violation.
    ["23514", "orders_pkey"],
  ] as const) {
    expect([constraint, isConflict(violation(code, constraint))]).toEqual([constraint, false]);
  }
  expect(isConflict(new Error("anything else"))).toBe(false);
});
