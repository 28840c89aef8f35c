import { expect, test } from "vitest";
import { recallTotals } from "../src/dashboard/recall/recall-totals.ts";
import { everyHour } from "../src/portal/figures.ts";
import { countdownText } from "../src/ui/countdown-text.ts";
import { counted } from "../src/ui/counted.ts";
import { dayAfter } from "../src/ui/day-after.ts";

test("a recall counts orders to stop, not their packages", () => {
  const row = { account_id: "a", order_number: "1", patient_id: "p7", units: 30, told_at: null };
  const totals = recallTotals([
    { ...row, shipped_at: null, order_status: "Filling" },
    { ...row, shipped_at: null, order_status: "Filling" },
    { ...row, account_id: "b", shipped_at: null, order_status: "On Hold", told_at: "2026-11-15T11:00:00Z" },
    { ...row, order_number: "2", shipped_at: null, order_status: "Canceled" },
    { ...row, order_number: "3", shipped_at: "2026-11-15T10:00:00Z", order_status: "Shipped" },
  ]);
  expect(totals).toEqual({ people: 2, units: 150, orders: 4, inside: 2, to_stop: 1, told: 1 });
});

test("a chart has a place for each hour, also for hours without attempts", () => {
  const rows = [
    { hour: "2026-11-15T13:00:00Z", attempts: 3, delivered: 2 },
    { hour: "2026-11-15T10:00:00Z", attempts: 1, delivered: 1 },
    { hour: "2026-11-14T10:00:00Z", attempts: 9, delivered: 9 },
  ];
  const shown = everyHour(rows, Date.parse("2026-11-15T13:59:00Z"), 4);
  expect(shown.map(({ at_ms }) => new Date(at_ms).getUTCHours())).toEqual([10, 11, 12, 13]);
  expect(shown.map(({ delivered, failed }) => [delivered, failed])).toEqual([
    [1, 0],
    [0, 0],
    [0, 0],
    [2, 1],
  ]);
});

test.each([
  [0, "0 orders"],
  [1, "1 order"],
  [1200, "1,200 orders"],
])("counts %i", (count, text) => expect(counted(count, "order")).toBe(text));

test.each([
  [1, "0:01"],
  [42_000, "0:42"],
  [3_600_000, "1:00:00"],
  [90_061_000, "25:01:01"],
])("counts down from %i ms", (ms, text) => expect(countdownText(ms)).toBe(text));

test("a list to a day includes that day, so it ends before the day after", () => {
  expect(["2026-12-31", "2028-02-28", undefined, "soon"].map(dayAfter)).toEqual([
    ...["2027-01-01", "2028-02-29", undefined, "soon"],
  ]);
});
