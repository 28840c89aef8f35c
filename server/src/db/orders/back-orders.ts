import type { Environment } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

const accounts = sql<
  [environment: Environment | null],
  { account_id: string; environment: Environment; clock_offset_s: number }
>`
select a.account_id, a.environment, a.clock_offset_s
from each_account a
where ($1::text is null or a.environment = $1) and exists (
  select
  from order_item i
  where i.account_id = a.account_id and i.pending and not i.reserved)`;
/** Accounts with back-ordered items, of one environment or of both. */
export const listBackOrderedAccounts = (db: Queryable, environment: Environment | null) =>
  db.rows(accounts, [environment]);

export type BackOrdered = {
  order_number: string;
  item_id: number;
  sku: string;
  units: number;
  available_units: number;
};
const waiting = sql<[account_id: string, since_before: Date | null, most: number], BackOrdered>`
select i.order_number, i.item_id, i.sku, i.units::float8 as units,
  (s.on_hand_units - s.reserved_units)::float8 as available_units
from order_item i
join orders o on o.account_id = i.account_id and o.order_number = i.order_number
join stock s on s.account_id = i.account_id and s.sku = i.sku
where i.account_id = $1 and i.pending and not i.reserved
  and case when $2::timestamptz is null then s.on_hand_units - s.reserved_units >= i.units else o.created_at <= $2 end
order by o.order_position, i.item_id
limit $3`;
/**
 * Back-ordered items, the oldest orders first, with the units on the shelf. With `since_before`, items of orders from
 * before that time. Without it, items that the stock covers now, so that items without stock never use up the limit.
 */
export const listBackOrdered = (db: Queryable, account_id: string, since_before: Date | null, most: number) =>
  db.rows(waiting, [account_id, since_before, most]);
