import type { EndpointHour, ParcelSums } from "../../domain/operations/portal-figures.ts";
import { type Queryable, sql } from "../db.ts";

/** `oldest_at`: when the first of these orders was created. */
type ParcelRow = ParcelSums & { oldest_at: Date | null };
const parcels = sql<[account_id: string, first_position: number, most: number], ParcelRow>`
with newest as materialized (
  select o.order_number, o.created_at, o.ship_state
  from orders o
  where o.account_id = $1 and o.order_position >= $2
  order by o.order_position desc
  limit $3
)
select case grouping(s.carrier, n.ship_state) when 3 then 'all' when 1 then 'carrier' else 'state' end as of,
  coalesce(s.carrier, n.ship_state) as name, count(*) as received, count(s.shipped_at) as shipped,
  count(s.delivered_at) as delivered,
  (extract(epoch from percentile_cont(0.5) within group (order by s.shipped_at - n.created_at)) / 3600)::float8
    as median_hours_to_ship,
  (extract(epoch from percentile_cont(0.5) within group (order by s.delivered_at - s.shipped_at)) / 3600)::float8
    as median_hours_to_deliver,
  min(n.created_at) as oldest_at
from newest n
left join lateral (
  -- A parcel that replaces a lost one is the one that arrives.
  select s.carrier, s.shipped_at, s.delivered_at
  from shipment s
  where s.account_id = $1 and s.order_number = n.order_number
  order by s.shipment_id desc
  limit 1) s on true
group by grouping sets ((), (s.carrier), (n.ship_state))`;
/** The newest orders since a position, and how long their parcels took. */
export const sumParcels = (db: Queryable, account_id: string, first_position: number, most: number) =>
  db.rows(parcels, [account_id, first_position, most]);

const hours = sql<[account_id: string, since: Date], EndpointHour>`
select e.endpoint_id, h.hour, h.attempts, h.delivered, h.duration_ms
from webhook_endpoint e
left join webhook_endpoint_hour h on h.account_id = e.account_id and h.endpoint_id = e.endpoint_id and h.hour >= $2
where e.account_id = $1
order by e.created_at, e.endpoint_id, h.hour`;
/** The hours with attempts of every endpoint. */
export const listEndpointHours = (db: Queryable, account_id: string, since: Date) =>
  db.rows(hours, [account_id, since]);
