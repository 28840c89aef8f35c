import type { ProductMiss } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

const insert = sql<
  [account_id: string, order_number: string, at: Date, person_id: string, found: ProductMiss, most: number]
>`
insert into product_miss (account_id, order_number, at, person_id, stage, found)
select $1, $2, $3::timestamptz + make_interval(secs => a.clock_offset_s), $4, o.stage, $5
from orders o
join account a on a.account_id = o.account_id
where o.account_id = $1 and o.order_number = $2 and o.stage in ('fill', 'product_check') and (
  select count(*)
  from product_miss m
  where m.account_id = $1 and m.order_number = $2) < $6
returning account_id`;
/** Returns 0 if the order is not being filled or checked, or if it has many misses already. */
export const insertMiss = (
  db: Queryable,
  miss: { account_id: string; order_number: string; at: Date; person_id: string; found: ProductMiss },
  most: number,
) => db.run(insert, [miss.account_id, miss.order_number, miss.at, miss.person_id, miss.found, most]);
