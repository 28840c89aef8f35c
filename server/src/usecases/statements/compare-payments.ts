import { listAccounts } from "../../db/accounts/accounts.ts";
import type { Db } from "../../db/db.ts";
import { type BookedPayment, listBookedPayments } from "../../db/orders/card-authorizations.ts";
import type { ProviderMovement } from "../../domain/orders/provider-payment.ts";
import { addDays, startOfDay } from "../../domain/values/calendar.ts";
import type { RecordedPayments } from "../orders/payments/ask-on-record.ts";

type Sums = { charged_cents: number; refunded_cents: number };
type PaymentDifference = {
  order_number: string | null;
  account_id: string | null;
  reference: string;
  ours: Sums | null;
  theirs: Sums;
};
export type PaymentComparison = {
  day: string;
  payments: number;
  charged_cents: number;
  refunded_cents: number;
  fee_cents: number;
  /** Payments in the provider's list that are not of this service. */
  not_ours: number;
  differences: PaymentDifference[];
};

/**
 * Compares our books of a day with the provider's list. A payment that moved on the day, here or there, is compared as a
 * whole, so that a movement around midnight is no difference.
 */
export async function comparePayments(
  { db, records, time_zone }: { db: Db; records: RecordedPayments["records"]; time_zone: string },
  day: string,
): Promise<PaymentComparison> {
  const from = startOfDay(time_zone, day);
  const to = startOfDay(time_zone, addDays(day, 1));
  const movements = await records.movements(from, to);
  const references = [...new Set(movements.flatMap(({ reference }) => reference ?? []))];
  const ours = new Map<string, BookedPayment>();
  for (const { account_id, environment } of await listAccounts(db)) {
    if (environment !== "production") continue;
    for (const one of await listBookedPayments(db, account_id, from, to, references)) ours.set(one.reference, one);
  }
  const differences: PaymentDifference[] = [];
  let not_ours = 0;
  for (const reference of new Set([...references, ...ours.keys()])) {
    const booked = ours.get(reference);
    if (booked !== undefined && agrees(booked, movements)) continue;
    const payment = await records.find(reference);
    if (booked === undefined && payment.of === null) {
      not_ours++;
      continue;
    }
    const theirs = { charged_cents: payment.captured_cents, refunded_cents: payment.refunded_cents };
    const own = booked && { charged_cents: booked.captured_cents, refunded_cents: booked.refunded_cents };
    if (own?.charged_cents === theirs.charged_cents && own.refunded_cents === theirs.refunded_cents) continue;
    const { order_number = null, account_id = null } = booked ?? payment.of ?? {};
    differences.push({ order_number, account_id, reference, ours: own ?? null, theirs });
  }
  const sum = (kind: ProviderMovement["kind"], amount: (one: ProviderMovement) => number) =>
    movements.filter((one) => one.kind === kind).reduce((total, one) => total + amount(one), 0);
  return {
    day,
    payments: ours.size,
    charged_cents: sum("charge", ({ amount_cents }) => amount_cents),
    refunded_cents: -sum("refund", ({ amount_cents }) => amount_cents),
    fee_cents: movements.reduce((total, { fee_cents }) => total + fee_cents, 0),
    not_ours,
    differences,
  };
}

/** Whether the day's movements alone show that the payment agrees. If not, the whole payment is read. */
function agrees({ reference, captured_cents, refunded_cents }: BookedPayment, movements: readonly ProviderMovement[]) {
  const own = movements.filter((one) => one.reference === reference);
  const sum = (kind: ProviderMovement["kind"]) =>
    own.filter((one) => one.kind === kind).reduce((total, { amount_cents }) => total + amount_cents, 0);
  return sum("charge") === captured_cents && -sum("refund") === refunded_cents;
}
