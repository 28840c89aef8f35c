-- revision 2
-- Writes an entry for each lot of a product that an order ships, and takes the units from the lot's shelf or from the stock
-- without a lot. Returns the units of all lots. save_change calls it, and has locked the product's stock.
create or replace function dispense_lots(
  account_id text,
  order_number text,
  dispensed_sku text,
  dispensed_at timestamptz
) returns numeric
language plpgsql
as $$
declare
  of_lots numeric;
  taken record;
begin
  -- One entry for each lot of the product. The units leave the lot's shelf, or the stock without a lot.
  for taken in
    select upper(g.lot) as lot, sum(g.units) as units, sum(g.shelf_units) as shelf_units
    from item_lot g
    where g.account_id = dispense_lots.account_id and g.order_number = dispense_lots.order_number
      and g.sku = dispensed_sku
    group by upper(g.lot)
    order by upper(g.lot)
  loop
    insert into stock_entry (account_id, sku, kind, units, order_number, at, lot, lot_units)
    values (account_id, dispensed_sku, 'dispensed', taken.units, order_number, dispensed_at, taken.lot,
      taken.shelf_units);
  end loop;
  update stock_lot t
  set on_hand_units = t.on_hand_units - l.units, filled_units = t.filled_units - l.units
  from (
    select upper(g.lot) as lot, sum(g.shelf_units) as units
    from item_lot g
    where g.account_id = dispense_lots.account_id and g.order_number = dispense_lots.order_number
      and g.sku = dispensed_sku and g.shelf_units > 0
    group by upper(g.lot)) l
  where t.account_id = dispense_lots.account_id and t.sku = dispensed_sku and t.lot = l.lot;
  update stock s
  set lot_units = s.lot_units - l.shelf_units, loose_filled_units = s.loose_filled_units - l.units + l.shelf_units
  from (
    select sum(g.units) as units, sum(g.shelf_units) as shelf_units
    from item_lot g
    where g.account_id = dispense_lots.account_id and g.order_number = dispense_lots.order_number
      and g.sku = dispensed_sku
    having count(*) > 0) l
  where s.account_id = dispense_lots.account_id and s.sku = dispensed_sku
  returning l.units into of_lots;
  return coalesce(of_lots, 0);
end
$$;
