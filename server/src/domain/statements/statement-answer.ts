import {
  type MoneyKind,
  moneyKinds,
  noTotals,
  orderStatusReasons,
  type Payer,
  type Statement,
  type StatementLine,
  type StatementTotals,
} from "@pestle/contract";
import { CURRENCY } from "../orders/order-answer.ts";
import { closesAt, type Month } from "./months.ts";

/** The sum of an account's lines of one payer and kind in a month. */
export type MoneySum = { payer: Payer; kind: MoneyKind; amount_cents: number; lines: number };

export function statementAnswer(month: Month, closed_at: Date | null, sums: readonly MoneySum[]): Statement {
  const totals = { partner: totalsOf(sums, "partner"), patient: totalsOf(sums, "patient") };
  return {
    month: month.month,
    status: closed_at === null ? "open" : "closed",
    from: month.from.toISOString(),
    to: month.to.toISOString(),
    closes_at: closesAt(month).toISOString(),
    closed_at: closed_at?.toISOString() ?? null,
    currency: CURRENCY,
    line_count: sums.reduce((count, { lines }) => count + lines, 0),
    due_cents: totals.partner.total_cents,
    totals,
  };
}

function totalsOf(sums: readonly MoneySum[], payer: Payer): StatementTotals {
  const totals = { ...noTotals };
  for (const { kind, amount_cents, ...sum } of sums) {
    if (sum.payer !== payer) continue;
    totals[moneyKinds[kind].totals] += amount_cents;
    totals.total_cents += amount_cents;
  }
  return totals;
}

/** A stored line, with the partner's reference in clear. */
export type MoneyLine = Omit<StatementLine, "line_id" | "booked_at" | "reason_id"> & {
  booked_at: Date;
  source_id: string;
  line_no: number;
  reason_id: number | null;
};

export function lineAnswer(line: MoneyLine): StatementLine {
  const { source_id, line_no, booked_at, reason_id } = line;
  const reason = orderStatusReasons.find(({ id }) => id === reason_id);
  return {
    line_id: `${source_id}-${line_no}`,
    booked_at: booked_at.toISOString(),
    kind: line.kind,
    payer: line.payer,
    amount_cents: line.amount_cents,
    order_number: line.order_number,
    reference: line.reference,
    item_id: line.item_id,
    sku: line.sku,
    quantity: line.quantity,
    reason_id,
    description: line.description ?? reason?.name ?? null,
  };
}
