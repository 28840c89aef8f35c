import {
  type LotShelf,
  type Shelf,
  type StockEntry,
  type StockEntryKind,
  stockEntryKinds,
} from "../../domain/catalogue/stock.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

export type { StockEntry } from "../../domain/catalogue/stock.ts";

const lock = sql<[account_id: string, skus: readonly string[]], LotShelf>`
select s.sku, s.on_hand_units::float8 as on_hand_units, s.reserved_units::float8 as reserved_units,
  s.lot_units::float8 as lot_units, s.loose_filled_units::float8 as loose_filled_units,
  s.returned_units::float8 as returned_units
from stock s
where s.account_id = $1 and s.sku = any($2)
order by s.sku
for update`;
/** Locks stock rows until the transaction ends, always in the same order. Their lots change only under this lock. */
export const lockShelves = (tx: Tx, account_id: string, skus: readonly string[]) => tx.rows(lock, [account_id, skus]);

const available = sql<[account_id: string, sku: string], { available_units: number }>`
select (s.on_hand_units - s.reserved_units)::float8 as available_units
from stock s
where s.account_id = $1 and s.sku = $2`;
/** The units of a product that no order has reserved. */
export const loadAvailableUnits = async (db: Queryable, account_id: string, sku: string): Promise<number> =>
  (await db.row(available, [account_id, sku]))?.available_units ?? 0;

const enter = sql<[account_id: string, entries: string, at: Date], Shelf>`
with given as (
  select e.*
  from jsonb_to_recordset($2) as e(position integer, sku text, kind text, units numeric, on_hand numeric,
    reserved numeric, returned numeric, order_number text, note text, lot text, expires_on date, lot_units numeric,
    lot_on_hand numeric, reason text, person_id text, witness_id text)
), shelf as (
  update stock s
  set on_hand_units = s.on_hand_units + e.on_hand, reserved_units = s.reserved_units + e.reserved,
    lot_units = s.lot_units + e.lot_on_hand, returned_units = s.returned_units + e.returned
  from (
    select sku, sum(on_hand) as on_hand, sum(reserved) as reserved, sum(lot_on_hand) as lot_on_hand,
      sum(returned) as returned
    from given
    group by sku) e
  where s.account_id = $1 and s.sku = e.sku
  returning s.sku, s.on_hand_units, s.reserved_units
), lots as (
  select sku, lot, min(expires_on) as expires_on, sum(lot_on_hand) as on_hand, sum(returned) as returned
  from given
  where lot is not null
  group by sku, lot
), known as (
  update stock_lot l
  set on_hand_units = l.on_hand_units + e.on_hand, returned_units = l.returned_units + e.returned
  from lots e
  where l.account_id = $1 and l.sku = e.sku and l.lot = e.lot
  returning l.sku, l.lot
), fresh as (
  insert into stock_lot (account_id, sku, lot, expires_on, on_hand_units, returned_units)
  select $1, sku, lot, expires_on, on_hand, returned
  from lots
  where (sku, lot) not in (select sku, lot from known)
  returning account_id
), entries as (
  insert into stock_entry (account_id, sku, kind, units, order_number, at, note, lot, lot_units, reason, person_id,
    witness_id)
  select $1, sku, kind, units, order_number, $3, note, lot, lot_units, reason, person_id, witness_id
  from given
  order by position
  returning account_id
)
select sku, on_hand_units::float8 as on_hand_units, reserved_units::float8 as reserved_units
from shelf`;
/**
 * Apart from the statements that save orders, the only way to change stock. Each change comes with an entry that gives
 * the reason.
 */
export const enterStock = (tx: Tx, account_id: string, entries: readonly StockEntry[], at: Date) =>
  tx.rows(enter, [
    account_id,
    JSON.stringify(
      entries.map(({ lot = null, ...entry }, position) => {
        const { units, kind } = entry;
        const lot_units = lot === null ? 0 : stockEntryKinds[kind].on_hand === 0 ? 0 : (entry.lot_units ?? units);
        return {
          ...entry,
          position,
          lot,
          on_hand: units * stockEntryKinds[kind].on_hand,
          reserved: units * stockEntryKinds[kind].reserved,
          returned: units * stockEntryKinds[kind].returned,
          lot_units: lot === null ? null : lot_units,
          lot_on_hand: lot_units * stockEntryKinds[kind].on_hand,
        };
      }),
    ),
    at,
  ]);

export type ListedShelf = Shelf & {
  name: string;
  available_units: number;
  /** On hand without a known lot. */
  loose_units: number;
  returned_units: number;
  retired: boolean;
  /** Newest first. */
  last_entries: {
    kind: StockEntryKind;
    units: number;
    order_number: string | null;
    at: string;
    note: string | null;
    lot: string | null;
    reason: string | null;
  }[];
};
const list = sql<[account_id: string, sku: string | null, most: number], ListedShelf>`
select s.sku, p.name, s.on_hand_units::float8 as on_hand_units, s.reserved_units::float8 as reserved_units,
  (s.on_hand_units - s.reserved_units)::float8 as available_units, (s.on_hand_units - s.lot_units)::float8 as loose_units,
  s.returned_units::float8 as returned_units, p.retired_at is not null as retired,
  coalesce((
    select json_agg(json_build_object(
      'kind', e.kind, 'units', e.units, 'order_number', e.order_number, 'at', e.at, 'note', e.note,
      'lot', e.lot, 'reason', e.reason)
      order by e.stock_entry_id desc)
    from (
      -- By the primary key, backwards.
      select *
      from stock_entry
      where account_id = s.account_id and sku = s.sku
      order by stock_entry_id desc
      limit $3) e), '[]') as last_entries
from stock s
join product p on p.account_id = s.account_id and p.sku = s.sku
where s.account_id = $1 and ($2::text is null or s.sku = $2)
order by s.sku`;
export const listShelves = (db: Queryable, account_id: string, sku: string | null, most: number) =>
  db.rows(list, [account_id, sku, most]);
