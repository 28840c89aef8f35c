import type { OrderStatus } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

/** When each step first happened in an account; null if it has not. */
export type AccountFacts = {
  credential_at: Date | null;
  token_used: boolean;
  request_at: Date | null;
  prescription_at: Date | null;
  order_at: Date | null;
  shipped_at: Date | null;
};
const facts = sql<[account_id: string], AccountFacts>`
select
  (
    select min(created_at)
    from credential
    where account_id = $1 and 'partners' = any(scopes)) as credential_at,
  exists (
    select
    from credential_secret
    where account_id = $1 and last_used_at is not null) as token_used,
  (
    select minute
    from request_minute
    where account_id = $1 and requests > client_errors + server_errors + limited
    order by minute
    limit 1) as request_at,
  (
    select received_at
    from prescription
    where account_id = $1
    order by received_at, intake_message_id
    limit 1) as prescription_at,
  (
    select created_at
    from orders
    where account_id = $1
    order by order_position
    limit 1) as order_at,
  (
    select min(shipped_at)
    from order_item
    where account_id = $1 and shipped_at is not null) as shipped_at`;
export const loadAccountFacts = async (db: Queryable, account_id: string) => (await db.row(facts, [account_id]))!;

export type OrderCount = { order_status: OrderStatus; count: number };
const counts = sql<[account_id: string, statuses: string[], most: number], OrderCount>`
select s.order_status, (
  select count(*)
  from (
    select
    from orders o
    where o.account_id = $1 and o.order_status = s.order_status
    limit $3) few) as count
from unnest($2::text[]) with ordinality as s(order_status, n)
order by s.n`;
/** Counts each status up to `most`, because an exact count of a large account is slow and not useful. */
export const countOrders = (db: Queryable, account_id: string, statuses: readonly OrderStatus[], most: number) =>
  db.rows(counts, [account_id, [...statuses], most]);

export type HeldGroup = { exception_id: number; count: number; oldest_at: Date; order_numbers: string[] };
const held = sql<[account_id: string], HeldGroup>`
select e.exception_id, count(*) as count, min(e.raised_at) as oldest_at,
  (array_agg(e.order_number order by e.raised_at, e.order_number))[1:20] as order_numbers
from orders o
join order_exception e on e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null
where o.account_id = $1 and o.order_status = 'On Hold'
group by e.exception_id`;
/** The exceptions that hold orders, each with its oldest orders. */
export const listHeldGroups = (db: Queryable, account_id: string) => db.rows(held, [account_id]);

const waiting = sql<[account_id: string, exception_ids: number[]], { count: number }>`
select count(*) as count
from orders
where account_id = $1 and order_status = 'On Hold' and exception_ids && $2::integer[]`;
/** Counts held orders with at least one of these exceptions. */
export const countHeldBy = async (db: Queryable, account_id: string, exception_ids: readonly number[]) =>
  (await db.row(waiting, [account_id, [...exception_ids]]))!.count;

const used = sql<[account_id: string, since: Date], { total: number; errors: number }>`
select coalesce(sum(requests), 0) as total, coalesce(sum(client_errors + server_errors + limited), 0) as errors
from request_minute
where account_id = $1 and minute >= $2`;
export const sumRequests = async (db: Queryable, account_id: string, since: Date) =>
  (await db.row(used, [account_id, since]))!;
