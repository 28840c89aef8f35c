import { moneyKindNames, type StatementLine, statementCsv } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCsv } from "../../../src/domain/catalogue/csv.ts";
import { boundsOf, type ClosedUntil, closesAt, openMonth, openMonths } from "../../../src/domain/statements/months.ts";
import { lineAnswer, statementAnswer } from "../../../src/domain/statements/statement-answer.ts";

const NOTHING: ClosedUntil = { closed_until: new Date(0), closed_month: null };
const ZONE = "America/New_York";
const spanOf = ({ month, from, to }: ReturnType<typeof openMonth>) => [month, from.toISOString(), to.toISOString()];

describe("a month", () => {
  test("ends at midnight in the pharmacy's time zone, also where the clocks change", () => {
    const november = ["2026-11", "2026-11-01T04:00:00.000Z", "2026-12-01T05:00:00.000Z"];
    expect(spanOf(openMonth(ZONE, NOTHING, new Date("2026-12-01T04:59:59.999Z")))).toEqual(november);
    expect(spanOf(openMonth(ZONE, NOTHING, new Date("2026-11-01T04:00:00.000Z")))).toEqual(november);
    expect(openMonth(ZONE, NOTHING, new Date("2026-12-01T05:00:00.000Z")).month).toBe("2026-12");
  });

  test("closes three days after its end", () => {
    expect(closesAt(boundsOf(ZONE, NOTHING, "2026-12")).toISOString()).toBe("2027-01-04T05:00:00.000Z");
  });

  test("begins where the closed months end, even if the time zone changes: every instant is in exactly one", () => {
    const zones = ["America/New_York", "America/Los_Angeles", "Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"];
    const zone = fc.constantFrom(...zones);
    const at = fc.date({ min: new Date("2026-01-01"), max: new Date("2028-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(zone, zone, at, at, (before, after, one, other) => {
        const first = openMonth(before, NOTHING, one < other ? one : other);
        const closed = { closed_until: first.to, closed_month: first.month };
        const later = one < other ? other : one;
        if (later < closed.closed_until) return;
        const second = openMonth(after, closed, later);
        expect(second.month > first.month).toBe(true);
        expect(second.from >= closed.closed_until && second.from <= later && later < second.to).toBe(true);
        const months = openMonths(after, closed, closed.closed_until, later);
        expect(months[0]).toEqual(second);
        expect(months.at(-1)!.from).toEqual(closed.closed_until);
        for (const [index, month] of months.slice(1).entries()) expect(month.to).toEqual(months[index]!.from);
      }),
    );
  });
});

const LINE = {
  booked_at: new Date("2026-11-02T10:00:00Z"),
  source_id: "5b0c9a52-8f0e-4a77-9d1c-3f2f6f1f4b10",
  line_no: 1,
  payer: "partner",
  kind: "refund",
  amount_cents: -500,
  order_number: "7K2M9XQ4TB",
  reference: "=HYPERLINK(0)",
  item_id: null,
  sku: null,
  quantity: null,
  reason_id: 102,
  description: null,
} as const;

describe("a statement", () => {
  test("adds up by payer and kind, and the partner owes only its own lines", () => {
    const sums = moneyKindNames.flatMap((kind, index) => [
      { payer: "partner" as const, kind, amount_cents: 10 ** index, lines: 1 },
      { payer: "patient" as const, kind, amount_cents: 7, lines: 2 },
    ]);
    const { totals, due_cents, line_count, status } = statementAnswer(boundsOf(ZONE, NOTHING, "2026-11"), null, sums);
    expect(totals.partner).toEqual({
      items_cents: 1,
      shipping_cents: 10,
      fees_cents: 100,
      refunds_cents: 1000,
      credits_cents: 10_000,
      total_cents: 11_111,
    });
    expect([totals.patient.total_cents, due_cents, line_count, status]).toEqual([35, 11_111, 15, "open"]);
  });

  test("names the reason of a refund", () => {
    expect(lineAnswer(LINE)).toMatchObject({
      line_id: "5b0c9a52-8f0e-4a77-9d1c-3f2f6f1f4b10-1",
      description: "Lost in Transit",
    });
  });

  test("as CSV runs no formula in a spreadsheet and keeps negative amounts as numbers", () => {
    const texts = ["=1+1", "+1", "-1+1", "-1", "@SUM(A1)", "\tx", 'say "hi", twice', "plain"];
    const lines: StatementLine[] = texts.map((reference) => ({ ...lineAnswer(LINE), reference }));
    const { records, faults } = readCsv(statementCsv(lines));
    expect(faults).toEqual([]);
    const [head, ...rows] = records.map(({ cells }) => cells);
    const column = (name: string) => rows.map((cells) => cells[head!.indexOf(name)]);
    expect(column("reference")).toEqual([
      "'=1+1",
      "'+1",
      "'-1+1",
      "-1",
      "'@SUM(A1)",
      "'\tx",
      'say "hi", twice',
      "plain",
    ]);
    expect(new Set(column("amount_cents"))).toEqual(new Set(["-500"]));
    expect(head).toEqual(Object.keys(lines[0]!));
  });
});
