import type { LotShelf, StockLot } from "../../domain/catalogue/stock.ts";
import { type Queryable, sql, statementOf, type Tx } from "../db.ts";

const known = sql<[account_id: string, sku: string, lots: readonly string[]], StockLot>`
select l.lot, l.expires_on::text as expires_on, l.on_hand_units::float8 as on_hand_units,
  l.filled_units::float8 as filled_units, l.returned_units::float8 as returned_units
from stock_lot l
where l.account_id = $1 and l.sku = $2 and l.lot = any($3)`;
/** What the shelf knows of these lots, also without units. The lots are in upper case. */
export const findLots = (db: Queryable, account_id: string, sku: string, lots: readonly string[]) =>
  db.rows(known, [account_id, sku, lots]);

export type LotOfProduct = Omit<StockLot, "lot"> & { sku: string; name: string; quarantined: boolean };
const everywhere = sql<[account_id: string, lot: string, sku: string | null], LotOfProduct>`
select l.sku, p.name, l.expires_on::text as expires_on, l.on_hand_units::float8 as on_hand_units,
  l.filled_units::float8 as filled_units, l.returned_units::float8 as returned_units, exists (
    select
    from lot_quarantine q
    join account a on a.environment = q.environment
    where a.account_id = $1 and q.lot = l.lot and q.sku in ('', l.sku)) as quarantined
from stock_lot l
join product p on p.account_id = l.account_id and p.sku = l.sku
where l.account_id = $1 and l.lot = upper($2) and ($3::text is null or l.sku = $3)
  and (l.on_hand_units > 0 or l.returned_units > 0)
order by l.sku`;
/** The units of a lot, by product. */
export const listLot = (db: Queryable, account_id: string, lot: string, sku: string | null) =>
  db.rows(everywhere, [account_id, lot, sku]);

/** A product's stock with its lots that have units. */
export type ShelfWithLots = LotShelf & {
  lots: (StockLot & { recalled: boolean })[];
};
const SHELF_WITH_LOTS = `
  s.sku, s.on_hand_units::float8 as on_hand_units, s.reserved_units::float8 as reserved_units,
  s.lot_units::float8 as lot_units, s.loose_filled_units::float8 as loose_filled_units,
  s.returned_units::float8 as returned_units,
  coalesce((
    select json_agg(json_build_object('lot', l.lot, 'expires_on', l.expires_on, 'on_hand_units', l.on_hand_units,
      'filled_units', l.filled_units, 'returned_units', l.returned_units, 'recalled', exists (
        select
        from lot_quarantine q
        where q.environment = a.environment and q.lot = l.lot and q.sku in ('', l.sku))) order by l.expires_on, l.lot)
    from (
      select *
      from stock_lot
      where account_id = $1 and sku = s.sku and (on_hand_units > 0 or returned_units > 0)
      order by expires_on, lot
      limit $3) l), '[]') as lots`;
const withLots = statementOf<[account_id: string, skus: readonly string[], most: number], ShelfWithLots>(`
select ${SHELF_WITH_LOTS}
from stock s
join account a on a.account_id = $1
where s.account_id = $1 and s.sku = any($2)`);
/** More lots of one product than a shelf has. */
const MOST_LOTS = 500;
/** The shelves of these products with their lots, the first to expire first. */
export const loadShelvesWithLots = (db: Queryable, account_id: string, skus: readonly string[]) =>
  db.rows(withLots, [account_id, skus, MOST_LOTS]);

/** A shelf for a fill, with what is known of the lots that the fill names. */
export type ShelfToFill = ShelfWithLots & {
  /** Those of the named lots that are recalled for this product. */
  recalled_lots: string[];
  /** Other products with units of the named lots. */
  elsewhere: { sku: string; lot: string }[];
};
const toFill = statementOf<
  [account_id: string, skus: readonly string[], most: number, lots: readonly string[]],
  ShelfToFill
>(`
select ${SHELF_WITH_LOTS},
  array(
    select n.lot
    from unnest($4::text[]) as n(lot)
    where exists (
      select
      from lot_quarantine q
      where q.environment = a.environment and q.lot = n.lot and q.sku in ('', s.sku))) as recalled_lots,
  coalesce((
    select json_agg(json_build_object('sku', e.sku, 'lot', e.lot))
    from (
      select o.sku, o.lot
      from stock_lot o
      where o.account_id = $1 and o.lot = any($4) and o.sku <> s.sku and o.on_hand_units > 0
      limit 1000) e), '[]') as elsewhere
from stock s
join account a on a.account_id = $1
where s.account_id = $1 and s.sku = any($2)`);
/** The shelves of these products with their lots, for a fill that names `lots`. These are in upper case. */
export const loadShelvesToFill = (
  db: Queryable,
  account_id: string,
  skus: readonly string[],
  lots: readonly string[],
) => db.rows(toFill, [account_id, skus, MOST_LOTS, lots]);

export type ReturnedRow = {
  item_id: number;
  sku: string;
  units: number;
  lot: string | null;
  expires_on: string | null;
};
const comeBack = sql<[account_id: string, order_number: string, at: Date], ReturnedRow>`
with back as (
  update order_item i
  set returned_at = $3
  where i.account_id = $1 and i.order_number = $2 and i.shipped_at is not null and i.returned_at is null
  returning i.account_id, i.order_number, i.item_id, i.sku, i.units
)
select b.item_id, b.sku, coalesce(l.units, b.units)::float8 as units, upper(l.lot) as lot, l.expires_on::text as expires_on
from back b
left join item_lot l on l.account_id = $1 and l.order_number = b.order_number and l.item_id = b.item_id
order by b.item_id, l.expires_on, l.lot`;
/** Marks the shipped items of an order as returned, and returns their lots. None if they are already, or have not shipped. */
export const markReturned = (tx: Tx, account_id: string, order_number: string, at: Date) =>
  tx.rows(comeBack, [account_id, order_number, at]);

const shipped = sql<[account_id: string, order_number: string], { shipped: boolean }>`
select exists (
  select
  from order_item i
  where i.account_id = $1 and i.order_number = $2 and i.shipped_at is not null) as shipped
from orders o
where o.account_id = $1 and o.order_number = $2`;
export const findShipped = (tx: Tx, account_id: string, order_number: string) =>
  tx.row(shipped, [account_id, order_number]);
