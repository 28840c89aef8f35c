import type { OrderStatus } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

/** An item of an order that is neither canceled nor removed. */
export type FillLine = {
  order_number: string;
  order_status: OrderStatus;
  name: string;
  units: number;
  days_supply: number | null;
  written_qty: number | null;
  ordered_at: Date;
  shipped_at: Date | null;
  supply_ends_at: Date | null;
};

const newest = sql<[account_id: string, patient_key: number, without: string, most: number], FillLine>`
select o.order_number, o.order_status, p.name, i.units::float8 as units, r.days_supply,
  r.written_qty::float8 as written_qty, o.created_at as ordered_at, i.shipped_at, i.supply_ends_at
from (
  select t.account_id, t.order_number, t.order_status, t.created_at, t.order_position
  from orders t
  where t.account_id = $1 and t.patient_key = $2 and t.order_number <> $3 and t.order_status <> 'Canceled'
  order by t.order_position desc
  limit $4) o
join order_item i on i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null
join product p on p.account_id = i.account_id and p.sku = i.sku
left join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id
order by o.order_position desc, i.item_id
limit $4`;
/** The newest fills of a patient, without those of one order. */
export const listFillLines = (db: Queryable, account_id: string, patient_key: number, without: string, most: number) =>
  db.rows(newest, [account_id, patient_key, without, most]);
