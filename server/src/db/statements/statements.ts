import type { Environment, MoneyKind, Payer } from "@pestle/contract";
import type { Booking } from "../../domain/statements/booking-key.ts";
import type { ClosedUntil, Month } from "../../domain/statements/months.ts";
import type { MoneySum } from "../../domain/statements/statement-answer.ts";
import { callOf } from "../call.ts";
import { type Queryable, sql } from "../db.ts";

/** The ledger of an account, with the times of its first and last line that is in no closed month. */
export type LedgerRow = ClosedUntil & { first_open_at: Date | null; last_open_at: Date | null };

const ledgerOf = sql<[account_id: string], LedgerRow>`
select l.closed_until, l.closed_month,
  (
    select min(e.booked_at)
    from money_entry e
    where e.account_id = $1 and e.booked_at >= l.closed_until) as first_open_at,
  (
    select max(e.booked_at)
    from money_entry e
    where e.account_id = $1 and e.booked_at >= l.closed_until) as last_open_at
from ledger l
where l.account_id = $1`;
/** Undefined if the account has never had a line. */
export const findLedger = (db: Queryable, account_id: string) => db.row(ledgerOf, [account_id]);

const withOpenLines = sql<[environment: Environment | null], { account_id: string; clock_offset_s: number }>`
select a.account_id, a.clock_offset_s
from each_account a
join ledger l on l.account_id = a.account_id
where ($1::text is null or a.environment = $1) and exists (
  select
  from money_entry e
  where e.account_id = a.account_id and e.booked_at >= l.closed_until)`;
/** Accounts with lines in no closed month, of one environment or of both. */
export const listOpenLedgers = (db: Queryable, environment: Environment | null) =>
  db.rows(withOpenLines, [environment]);

const sumsOf = sql<[account_id: string, from: Date[], to: Date[]], { sums: MoneySum[] }>`
select coalesce((
  select json_agg(s)
  from (
    select e.payer, e.kind, sum(e.amount_cents) as amount_cents, count(*) as lines
    from money_entry e
    where e.account_id = $1 and e.booked_at >= m.from_at and e.booked_at < m.to_at
    group by e.payer, e.kind) s), '[]') as sums
from unnest($2::timestamptz[], $3::timestamptz[]) with ordinality as m(from_at, to_at, nth)
order by m.nth`;
/** The sums of each month, in the order given. */
export const sumMonths = async (db: Queryable, account_id: string, months: readonly Month[]) =>
  months.length === 0
    ? []
    : (await db.rows(sumsOf, [account_id, months.map(({ from }) => from), months.map(({ to }) => to)])).map(
        ({ sums }) => sums,
      );

export type StatementRow = { month: string; from_at: Date; to_at: Date; closed_at: Date; sums: MoneySum[] };

const closedBefore = sql<[account_id: string, before: string, until: string, limit: number], StatementRow>`
select month, from_at, to_at, closed_at, sums
from statement
where account_id = $1 and month < $2 and month <= $3
order by month desc
limit $4`;
/** Closed months, newest first: those before a month, up to and including another. */
export const listStatements = (db: Queryable, account_id: string, before: string, until: string, limit: number) =>
  db.rows(closedBefore, [account_id, before, until, limit]);

const closedMonth = sql<[account_id: string, month: string], StatementRow>`
select month, from_at, to_at, closed_at, sums
from statement
where account_id = $1 and month = $2`;
export const findStatement = (db: Queryable, account_id: string, month: string) =>
  db.row(closedMonth, [account_id, month]);

/** Where a page of lines begins: after this line. */
export type LinePosition = { booked_at: Date; source_id: string; line_no: number };
export const beforeFirstLine = ({ from }: Pick<Month, "from">): LinePosition => ({
  booked_at: from,
  source_id: "00000000-0000-0000-0000-000000000000",
  line_no: 0,
});

export type LineRow = LinePosition & {
  kind: MoneyKind;
  payer: Payer;
  amount_cents: number;
  order_number: string | null;
  reference: string | null;
  reference_sealed: Buffer | null;
  patient_key: number | null;
  item_id: number | null;
  sku: string | null;
  quantity: number | null;
  reason_id: number | null;
  description: string | null;
};

const linesOf = sql<
  [account_id: string, to: Date, booked_at: Date, source_id: string, line_no: number, limit: number],
  LineRow
>`
select e.booked_at, e.source_id, e.line_no, e.kind, e.payer, e.amount_cents, e.order_number, o.reference,
  o.reference_sealed, o.patient_key, e.item_id, e.sku, e.quantity, e.reason_id, e.description
from money_entry e
left join orders o on o.account_id = e.account_id and o.order_number = e.order_number
where e.account_id = $1 and e.booked_at < $2 and (e.booked_at, e.source_id, e.line_no) > ($3, $4, $5)
order by e.booked_at, e.source_id, e.line_no
limit $6`;
/** The lines after a position and before a time, oldest first. */
export const listLines = (db: Queryable, account_id: string, to: Date, after: LinePosition, limit: number) =>
  db.rows(linesOf, [account_id, to, after.booked_at, after.source_id, after.line_no, limit]);

const close = callOf<"close_month", { closed: null }>("close_month", { as: "closed" });
/** Closes a month. If another process did so first, it throws an error that `isConflict` recognizes. */
export const closeMonth = (db: Queryable, account_id: string, known_closed_until: Date, month: Month, now: Date) =>
  db.row(
    close,
    close.values({
      account_id,
      known_closed_until,
      month: month.month,
      from_at: month.from,
      to_at: month.to,
      closed_at: now,
    }),
  );

const added = sql<
  [
    account_id: string,
    booked_at: Date,
    source_id: string,
    kind: MoneyKind,
    amount_cents: number,
    order_number: string | null,
    description: string,
    booking_key: string,
  ]
>`
insert into money_entry (account_id, booked_at, source_id, line_no, kind, payer, amount_cents, order_number, description,
  booking_key)
values ($1, $2, $3, 1, $4, 'partner', $5, $6, $7, $8)`;
/** A fee or a credit of the pharmacy. If another one took its key first, it violates the index of keys: a conflict. */
export const insertAdjustment = (
  db: Queryable,
  line: Pick<LineRow, "booked_at" | "source_id" | "kind" | "amount_cents" | "order_number"> & {
    account_id: string;
    description: string;
    booking_key: string;
  },
) =>
  db.run(added, [
    line.account_id,
    line.booked_at,
    line.source_id,
    line.kind,
    line.amount_cents,
    line.order_number,
    line.description,
    line.booking_key,
  ]);

type AdjustmentRow = Booking & { booked_at: Date; source_id: string };
const byKey = sql<[account_id: string, booking_key: string], AdjustmentRow>`
select booked_at, source_id, kind, amount_cents, order_number, description
from money_entry
where account_id = $1 and booking_key = $2`;
export const findAdjustment = (db: Queryable, account_id: string, booking_key: string) =>
  db.row(byKey, [account_id, booking_key]);
