import type { Environment } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

export type AskedEntry = {
  order_number: string;
  environment: Environment;
  payment_entry_id: string;
  kind: "void" | "refund";
  amount_cents: number;
  payment_reference: string | null;
  payment_attempt: number;
  tries: number;
};

const asked = sql<
  [account_id: string, before: Date | null, order_number: string | null, now: Date, most: number],
  AskedEntry
>`
select e.order_number, a.environment, e.payment_entry_id, e.kind, e.amount_cents, o.payment_reference, o.payment_attempt,
  e.tries
from payment_entry e
join account a on a.account_id = e.account_id
join orders o on o.account_id = e.account_id and o.order_number = e.order_number
where e.account_id = $1 and e.state = 'asked' and ($2::timestamptz is null or e.at < $2)
  and ($3::text is null or e.order_number = $3) and (e.next_try_at is null or e.next_try_at <= $4)
order by e.at
limit $5`;
/** Voids and refunds that the provider has not received or not answered. */
export const listAsked = (
  db: Queryable,
  account_id: string,
  before: Date | null,
  order_number: string | null,
  now: Date,
  most: number,
) => db.rows(asked, [account_id, before, order_number, now, most]);

const done = sql<[account_id: string, order_number: string, payment_entry_id: string]>`
update payment_entry
set state = 'done', problem = null
where account_id = $1 and order_number = $2 and payment_entry_id = $3`;
export const markDone = (db: Queryable, account_id: string, order_number: string, payment_entry_id: string) =>
  db.run(done, [account_id, order_number, payment_entry_id]);

const refused = sql<
  [account_id: string, order_number: string, payment_entry_id: string, problem: string | null, next_try_at: Date]
>`
update payment_entry
set tries = tries + 1, problem = coalesce($4, problem), next_try_at = $5
where account_id = $1 and order_number = $2 and payment_entry_id = $3 and state = 'asked'`;
/** The provider refused it, or gave no answer. */
export const noteEntryProblem = (
  db: Queryable,
  account_id: string,
  order_number: string,
  payment_entry_id: string,
  problem: string | null,
  next_try_at: Date,
) => db.run(refused, [account_id, order_number, payment_entry_id, problem, next_try_at]);
