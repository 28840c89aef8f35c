import type { DrugSchedule } from "@pestle/contract";
import type { StockEntryKind } from "../../../domain/catalogue/stock.ts";
import { type Queryable, sql } from "../../db.ts";

export type ControlledProduct = { sku: string; name: string; drug_schedule: DrugSchedule };
const controlled = sql<[account_id: string], ControlledProduct>`
select p.sku, p.name, p.drug_schedule
from product p
where p.account_id = $1 and p.drug_schedule <> '0' and exists (
  select
  from stock_entry e
  where e.account_id = $1 and e.sku = p.sku)
order by p.sku`;
/** The controlled products that have a ledger. */
export const listControlledProducts = (db: Queryable, account_id: string) => db.rows(controlled, [account_id]);

/** The kinds of entries that add to a balance, and those that take from it. */
export type LedgerKinds = { added: readonly string[]; taken: readonly string[] };
const opening = sql<
  [account_id: string, sku: string, added: readonly string[], taken: readonly string[], from: Date],
  { units: number }
>`
select coalesce(sum(case when e.kind = any($3) then e.units when e.kind = any($4) then -e.units end), 0)::float8 as units
from stock_entry e
where e.account_id = $1 and e.sku = $2 and e.at < $5`;
/** A balance before a time. */
export const loadOpeningUnits = async (
  db: Queryable,
  account_id: string,
  sku: string,
  { added, taken }: LedgerKinds,
  from: Date,
): Promise<number> => (await db.row(opening, [account_id, sku, added, taken, from]))!.units;

export type LedgerRow = {
  stock_entry_id: number;
  at: Date;
  kind: StockEntryKind;
  units: number;
  order_number: string | null;
  lot: string | null;
  note: string | null;
  /** Of a count or a destruction. */
  reason: string | null;
  /** The person who counted, booked the return or destroyed the units. */
  who: string | null;
  witness: string | null;
};
const entries = sql<
  [
    account_id: string,
    sku: string,
    after_id: number,
    from: Date,
    before: Date,
    kinds: readonly string[],
    limit: number,
  ],
  LedgerRow
>`
select e.stock_entry_id, e.at, e.kind, e.units::float8 as units, e.order_number, e.lot, e.note,
  coalesce(e.reason, c.reason) as reason, coalesce(b.name, e.person_id, c.counted_by) as who,
  coalesce(x.name, e.witness_id) as witness
from stock_entry e
left join person b on b.person_id = e.person_id
left join person x on x.person_id = e.witness_id
left join lateral (
  select coalesce(w.name, c.counted_by) as counted_by, c.reason
  from stock_count c
  left join person w on w.person_id = c.counted_by
  where c.account_id = e.account_id and c.sku = e.sku and c.at = e.at and e.kind = 'counted'
  limit 1) c on true
where e.account_id = $1 and e.sku = $2 and e.stock_entry_id > $3 and e.at >= $4 and e.at < $5 and e.kind = any($6)
order by e.stock_entry_id
limit $7`;
/** A product's entries of these kinds, in the order in which they were booked. */
export const listLedger = (
  db: Queryable,
  account_id: string,
  sku: string,
  after_id: number,
  from: Date,
  before: Date,
  kinds: readonly string[],
  limit: number,
) => db.rows(entries, [account_id, sku, after_id, from, before, kinds, limit]);
