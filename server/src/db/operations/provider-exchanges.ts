import { type Queryable, sql } from "../db.ts";
import type { Rows } from "../schema-rows.ts";

export type ExchangeRow = Omit<Rows["provider_exchange"], "account_id" | "order_number" | "at"> & { at: Date };

const insert = sql<
  [
    account_id: string,
    order_number: string,
    exchange_id: string,
    at: Date,
    provider: string,
    what: string,
    status: number | null,
    duration_ms: number,
    tries: number,
    error_code: string | null,
    provider_request_id: string | null,
    most: number,
  ]
>`
insert into provider_exchange (account_id, order_number, exchange_id, at, provider, what, status, duration_ms, tries,
  error_code, provider_request_id)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
from orders o
where o.account_id = $1 and o.order_number = $2 and (
  select count(*)
  from provider_exchange e
  where e.account_id = $1 and e.order_number = $2) < $12
-- An insert whose answer was lost is sent again.
on conflict do nothing`;
/** Returns 0 if the order does not exist, or has many exchanges already. */
export const insertExchange = (
  db: Queryable,
  account_id: string,
  order_number: string,
  row: ExchangeRow,
  most: number,
) =>
  db.run(insert, [
    account_id,
    order_number,
    row.exchange_id,
    row.at,
    row.provider,
    row.what,
    row.status,
    row.duration_ms,
    row.tries,
    row.error_code,
    row.provider_request_id,
    most,
  ]);

const list = sql<[account_id: string, order_number: string, most: number], ExchangeRow>`
select exchange_id, at, provider, what, status, duration_ms, tries, error_code, provider_request_id
from provider_exchange
where account_id = $1 and order_number = $2
order by at desc
limit $3`;
/** Newest first. */
export const listExchanges = (db: Queryable, account_id: string, order_number: string, most: number) =>
  db.rows(list, [account_id, order_number, most]);
