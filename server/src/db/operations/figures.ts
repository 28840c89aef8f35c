import type { Environment, LowStock } from "@pestle/contract";
import { eachClock } from "../accounts/each-account.ts";
import { type Queryable, sql, statementOf } from "../db.ts";

/** `hour` is the place of the hour in the given list, from 1. */
export type HourCount = { environment: Environment; hour: number; count: number };

const received = statementOf<[positions: number[], per_second: number], HourCount>(`
select a.environment, o.hour, sum(o.count)::integer as count
from ${eachClock()}
-- From the index alone, for each account. Its orders have the times of its own clock.
cross join lateral (
  select o.account_id, width_bucket(o.order_position - a.clock_offset_s * $2::bigint, $1::bigint[]) as hour, count(*) as count
  from orders o
  where o.account_id = a.account_id and o.order_position >= ($1::bigint[])[1] + a.clock_offset_s * $2::bigint
  group by o.account_id, 2) o
where a.partner_id is not null and o.account_id = a.account_id
group by a.environment, o.hour`);
/** New orders by hour. An hour is the position of its first order, and `per_second` is what a second adds to it. */
export const countReceived = (db: Queryable, positions: readonly number[], per_second: number) =>
  db.rows(received, [[...positions], per_second]);

const shipped = statementOf<[hours: Date[], most: number], HourCount>(`
select a.environment, i.hour, sum(i.count)::integer as count
from ${eachClock()}
cross join lateral (
  select i.account_id, width_bucket(i.shipped_at - make_interval(secs => a.clock_offset_s), $1::timestamptz[]) as hour,
    count(distinct i.order_number) as count
  from (
    select i.account_id, i.shipped_at, i.order_number
    from order_item i
    where i.account_id = a.account_id
      and i.shipped_at >= ($1::timestamptz[])[1] + make_interval(secs => a.clock_offset_s)
    order by i.shipped_at desc
    limit $2) i
  group by i.account_id, 2) i
where a.partner_id is not null and i.account_id = a.account_id
group by a.environment, i.hour`);
/** Shipped orders by hour, of the newest items of each account. */
export const countShipped = (db: Queryable, hours: readonly Date[], most: number) =>
  db.rows(shipped, [[...hours], most]);

/** `place` is the number of bounds at or before the time at which the orders entered the queue. */
export type WaitCount = { environment: Environment; place: number; count: number };
const waiting = sql<[queue: string, bounds: Date[]], WaitCount>`
select a.environment, o.place, sum(o.count)::integer as count
from each_account a
-- From the index alone, for each account.
cross join lateral (
  select width_bucket(o.stage_since, $2::timestamptz[]) as place, count(*) as count
  from orders o
  where o.account_id = a.account_id and o.queue = $1
  group by 1) o
where a.partner_id is not null
group by a.environment, o.place`;
/** A queue's orders by the time at which they entered it. */
export const countWaiting = (db: Queryable, queue: string, bounds: readonly Date[]) =>
  db.rows(waiting, [queue, [...bounds]]);

export type LowStockRow = Omit<LowStock, "days_left"> & { environment: Environment };
const low = statementOf<[since: Date, most_items: number, most: number], LowStockRow>(`
select a.environment, a.account_id, r.name as partner, s.sku, p.name,
  (s.on_hand_units - s.reserved_units)::float8 as available_units, u.shipped_units::float8 as shipped_units,
  u.owed_units::float8 as owed_units
from ${eachClock()}
join partner r on r.partner_id = a.partner_id
cross join lateral (
  select i.sku, sum(i.shipped_units) as shipped_units, sum(i.owed_units) as owed_units
  from (
    (select i.sku, i.units as shipped_units, 0 as owed_units
    from order_item i
    where i.account_id = a.account_id and i.shipped_at >= $1::timestamptz + make_interval(secs => a.clock_offset_s)
    order by i.shipped_at desc
    limit $2)
    union all
    (select i.sku, 0 as shipped_units, i.units as owed_units
    from order_item i
    where i.account_id = a.account_id and i.pending and not i.reserved
    limit $2)) i
  group by i.sku) u
join stock s on s.account_id = a.account_id and s.sku = u.sku
join product p on p.account_id = a.account_id and p.sku = u.sku and p.retired_at is null
where s.on_hand_units - s.reserved_units < u.shipped_units or u.owed_units > 0
order by (s.on_hand_units - s.reserved_units) / greatest(u.shipped_units, 1), u.owed_units desc, s.account_id, s.sku
limit $3`);
/** Products of which fewer units are available than shipped since that time, or for which orders are waiting. */
export const listLowStock = (db: Queryable, since: Date, most_items: number, most: number) =>
  db.rows(low, [since, most_items, most]);
