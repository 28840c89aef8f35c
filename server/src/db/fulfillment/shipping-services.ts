import { type Queryable, sql } from "../db.ts";
import type { Rows } from "../schema-rows.ts";

export type ShippingServiceRow = Omit<Rows["shipping_service"], "account_id">;

const list = sql<[account_id: string], ShippingServiceRow>`
select method_id, carrier, service, length_in, width_in, height_in, weight_oz
from shipping_service
where account_id = $1
order by method_id`;
/** The carrier services that the pharmacy chose for an account's shipping methods. */
export const listShippingServices = (db: Queryable, account_id: string) => db.rows(list, [account_id]);

const one = sql<[account_id: string, method_id: number], ShippingServiceRow>`
select method_id, carrier, service, length_in, width_in, height_in, weight_oz
from shipping_service
where account_id = $1 and method_id = $2`;
export const findShippingService = (db: Queryable, account_id: string, method_id: number) =>
  db.row(one, [account_id, method_id]);

const put = sql<
  [
    account_id: string,
    method_id: number,
    carrier: string,
    service: string,
    length_in: number | null,
    width_in: number | null,
    height_in: number | null,
    weight_oz: number | null,
  ]
>`
insert into shipping_service (account_id, method_id, carrier, service, length_in, width_in, height_in, weight_oz)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (account_id, method_id) do update
set carrier = excluded.carrier, service = excluded.service, length_in = excluded.length_in,
  width_in = excluded.width_in, height_in = excluded.height_in, weight_oz = excluded.weight_oz`;
export const saveShippingService = (db: Queryable, account_id: string, row: ShippingServiceRow) =>
  db.run(put, [
    account_id,
    row.method_id,
    row.carrier,
    row.service,
    row.length_in,
    row.width_in,
    row.height_in,
    row.weight_oz,
  ]);

const remove = sql<[account_id: string, method_id: number]>`
delete from shipping_service
where account_id = $1 and method_id = $2`;
export const deleteShippingService = (db: Queryable, account_id: string, method_id: number) =>
  db.run(remove, [account_id, method_id]);
