import type { Environment } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

const add = sql<[environments: readonly Environment[], lot: string, sku: string, at: Date, by: string]>`
insert into lot_quarantine (environment, lot, sku, quarantined_at, quarantined_by)
select e.environment, upper($2), $3, $4, $5
from unnest($1::text[]) as e(environment)
on conflict do nothing`;
/** A lot that is in quarantine already stays so, with its first date. An empty `sku` means every product. */
export const insertQuarantine = (
  db: Queryable,
  environments: readonly Environment[],
  lot: string,
  sku: string,
  at: Date,
  by: string,
) => db.run(add, [environments, lot, sku, at, by]);

const lift = sql<[environments: readonly Environment[], lot: string, sku: string]>`
delete from lot_quarantine
where environment = any($1) and lot = upper($2) and sku = $3`;
export const deleteQuarantine = (db: Queryable, environments: readonly Environment[], lot: string, sku: string) =>
  db.run(lift, [environments, lot, sku]);

export type QuarantineRow = { environment: Environment; sku: string; quarantined_at: Date; quarantined_by: string };
const ofLot = sql<[lot: string, environment: Environment | null], QuarantineRow>`
select q.environment, q.sku, q.quarantined_at, p.name as quarantined_by
from lot_quarantine q
join person p on p.person_id = q.quarantined_by
where q.lot = upper($1) and ($2::text is null or q.environment = $2)
order by q.quarantined_at, q.environment, q.sku
limit 100`;
export const listQuarantines = (db: Queryable, lot: string, environment: Environment | null) =>
  db.rows(ofLot, [lot, environment]);

const recalled = sql<[account_id: string, lots: readonly string[], skus: readonly string[]], { lot: string }>`
select q.lot
from account a
join unnest($2::text[], $3::text[]) as f(lot, sku) on true
join lot_quarantine q on q.environment = a.environment and q.lot = upper(f.lot) and q.sku in ('', f.sku)
where a.account_id = $1
limit 1`;
/** Whether one of these packages is of a lot in quarantine. `lots` and `skus` belong together. */
export const isQuarantined = async (
  db: Queryable,
  account_id: string,
  packages: readonly { lot: string; sku: string }[],
): Promise<boolean> =>
  packages.length > 0 &&
  (await db.row(recalled, [account_id, packages.map(({ lot }) => lot), packages.map(({ sku }) => sku)])) !== undefined;

const notice = sql<[account_id: string, order_number: string, lot: string, told_at: Date, told_by: string]>`
insert into recall_notice (account_id, order_number, lot, told_at, told_by)
values ($1, $2, upper($3), $4, $5)
on conflict do nothing`;
/** Returns 0 if the partner knows already. */
export const insertNotice = (
  db: Queryable,
  account_id: string,
  order_number: string,
  lot: string,
  told: { at: Date; by: string },
) => db.run(notice, [account_id, order_number, lot, told.at, told.by]);
