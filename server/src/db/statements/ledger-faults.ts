import { type Queryable, sql } from "../db.ts";

export type LedgerFault = {
  what: "payment" | "statement";
  subject: string;
  booked_cents: number;
  expected_cents: number;
};

const faults = sql<[account_id: string], LedgerFault>`
with payment as (
  select p.order_number, p.payment_entry_id,
    case p.kind when 'refund' then -p.amount_cents else p.amount_cents end as expected_cents,
    (
      select sum(e.amount_cents)
      from money_entry e
      where e.account_id = $1 and e.booked_at = p.at and e.source_id = p.payment_entry_id) as booked_cents
  from payment_entry p
  where p.account_id = $1 and p.kind in ('capture', 'refund')
), month as (
  select s.month, coalesce((select sum((x->>'amount_cents')::bigint) from jsonb_array_elements(s.sums) x), 0) as expected_cents,
    coalesce((
      select sum(e.amount_cents)
      from money_entry e
      where e.account_id = $1 and e.booked_at >= s.from_at and e.booked_at < s.to_at), 0) as booked_cents
  from statement s
  where s.account_id = $1
)
select 'payment' as what, order_number as subject, coalesce(booked_cents, 0)::float8 as booked_cents,
  expected_cents::float8 as expected_cents
from payment
where booked_cents is distinct from expected_cents
union all
select 'statement', month, booked_cents::float8, expected_cents::float8
from month
where booked_cents <> expected_cents
order by 1, 2
limit 100`;
/** Payments whose lines differ from them, and closed months whose lines differ from their totals; at most 100. */
export const listLedgerFaults = (db: Queryable, account_id: string) => db.rows(faults, [account_id]);
