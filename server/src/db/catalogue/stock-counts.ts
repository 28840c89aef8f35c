import type { DrugSchedule } from "@pestle/contract";
import type { ControlledCount } from "../../domain/catalogue/stock-count.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

const schedule = sql<[account_id: string, sku: string], { drug_schedule: DrugSchedule }>`
select drug_schedule
from product
where account_id = $1 and sku = $2`;
export const loadSchedule = (db: Queryable, account_id: string, sku: string) => db.row(schedule, [account_id, sku]);

const add = sql<
  [
    account_id: string,
    sku: string,
    at: Date,
    counted_by: string,
    counted_units: number,
    ledger_units: number,
    reason: string | null,
    explanation: string | null,
  ]
>`
insert into stock_count (account_id, sku, at, counted_by, counted_units, ledger_units, reason, explanation)
values ($1, $2, $3, $4, $5, $6, $7, $8)`;
export const insertCount = (
  tx: Tx,
  row: ControlledCount & { account_id: string; sku: string; at: Date; counted_by: string },
) =>
  tx.run(add, [
    row.account_id,
    row.sku,
    row.at,
    row.counted_by,
    row.counted_units,
    row.ledger_units,
    row.reason,
    row.explanation,
  ]);

export type CountRow = Omit<ControlledCount, "reason"> & { at: Date; counted_by: string; reason: string | null };
const list = sql<[account_id: string, sku: string, most: number], CountRow>`
select c.at, coalesce(p.email, c.counted_by) as counted_by, c.counted_units::float8 as counted_units,
  c.ledger_units::float8 as ledger_units, c.reason, c.explanation
from stock_count c
left join person p on p.person_id = c.counted_by
where c.account_id = $1 and c.sku = $2
order by c.stock_count_id desc
limit $3`;
/** Newest first. */
export const listCounts = (db: Queryable, account_id: string, sku: string, most: number) =>
  db.rows(list, [account_id, sku, most]);

const moved = sql<[account_id: string, skus: readonly string[]], { sku: string }>`
select p.sku
from product p
where p.account_id = $1 and p.sku = any($2) and p.drug_schedule <> '0'
  and exists (
    select
    from stock_entry e
    where e.account_id = p.account_id and e.sku = p.sku)
order by p.sku`;
/** Which of these products are controlled and have a ledger already. */
export const listControlledWithLedger = (db: Queryable, account_id: string, skus: readonly string[]) =>
  db.rows(moved, [account_id, skus]);

const last = sql<[account_id: string], { sku: string; last_at: Date }>`
select p.sku, coalesce((
    select max(c.at)
    from stock_count c
    where c.account_id = p.account_id and c.sku = p.sku), (
    select min(e.at)
    from stock_entry e
    where e.account_id = p.account_id and e.sku = p.sku)) as last_at
from product p
where p.account_id = $1 and p.drug_schedule <> '0' and exists (
  select
  from stock_entry e
  where e.account_id = p.account_id and e.sku = p.sku)
order by p.sku`;
/** The last count of each controlled product; its first entry if it was never counted. */
export const listLastCounts = (db: Queryable, account_id: string) => db.rows(last, [account_id]);
