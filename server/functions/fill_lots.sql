-- revision 2
-- Replaces the lots of an order's items: the earlier ones go back to the shelf, and the new ones are booked as filled. It
-- raises 40001 if the shelf no longer has the units. save_change calls it, and has locked the stock of the items' products.
create or replace function fill_lots(
  account_id text,
  order_number text,
  -- As in save_change: `lots` has the lots of an item, or `lot` the only one.
  changed_items jsonb,
  -- The items whose lots change.
  lot_items integer[]
) returns void
language plpgsql
as $$
begin
  -- The earlier lots go back to the shelf.
  update stock_lot t
  set filled_units = t.filled_units - l.units
  from (
    select g.sku, upper(g.lot) as lot, sum(g.shelf_units) as units
    from item_lot g
    where g.account_id = fill_lots.account_id and g.order_number = fill_lots.order_number
      and g.item_id = any(lot_items) and g.shelf_units > 0
    group by g.sku, upper(g.lot)) l
  where t.account_id = fill_lots.account_id and t.sku = l.sku and t.lot = l.lot;
  update stock s
  set loose_filled_units = s.loose_filled_units - l.units
  from (
    select g.sku, sum(g.units - g.shelf_units) as units
    from item_lot g
    where g.account_id = fill_lots.account_id and g.order_number = fill_lots.order_number
      and g.item_id = any(lot_items)
    group by g.sku) l
  where s.account_id = fill_lots.account_id and s.sku = l.sku;
  delete from item_lot l
  where l.account_id = fill_lots.account_id and l.order_number = fill_lots.order_number
    and l.item_id = any(lot_items);

  insert into item_lot (account_id, order_number, item_id, lot, sku, expires_on, units, shelf_units)
  select i.account_id, i.order_number, i.item_id, l.lot, i.sku, l.expires_on,
    coalesce(l.units, i.units), l.shelf_units
  from jsonb_array_elements(changed_items) as x(item)
  join order_item i on i.account_id = fill_lots.account_id and i.order_number = fill_lots.order_number
    and i.item_id = (x.item->>'item_id')::integer
  cross join lateral jsonb_to_recordset(case
    when x.item ? 'lots' then x.item->'lots'
    -- The earlier build names one lot, without units.
    when x.item->>'lot' is null then '[]'
    else jsonb_build_array(jsonb_build_object('lot', x.item->'lot', 'expires_on', x.item->'lot_expires_on',
      'shelf_units', 0)) end) as l(lot text, expires_on date, units numeric, shelf_units numeric);
  -- Two orders may take the last units of a lot at the same time.
  perform
  from item_lot g
  left join stock_lot t on t.account_id = g.account_id and t.sku = g.sku and t.lot = upper(g.lot)
  where g.account_id = fill_lots.account_id and g.order_number = fill_lots.order_number
    and g.item_id = any(lot_items) and g.shelf_units > 0
  group by g.sku, upper(g.lot), t.on_hand_units, t.filled_units
  having (sum(g.shelf_units) <= t.on_hand_units - t.filled_units) is not true;
  perform conflict_unless(not found);
  update stock_lot t
  set filled_units = t.filled_units + l.units
  from (
    select g.sku, upper(g.lot) as lot, sum(g.shelf_units) as units
    from item_lot g
    where g.account_id = fill_lots.account_id and g.order_number = fill_lots.order_number
      and g.item_id = any(lot_items) and g.shelf_units > 0
    group by g.sku, upper(g.lot)) l
  where t.account_id = fill_lots.account_id and t.sku = l.sku and t.lot = l.lot;
  update stock s
  set loose_filled_units = s.loose_filled_units + l.units
  from (
    select g.sku, sum(g.units - g.shelf_units) as units
    from item_lot g
    where g.account_id = fill_lots.account_id and g.order_number = fill_lots.order_number
      and g.item_id = any(lot_items)
    group by g.sku) l
  where s.account_id = fill_lots.account_id and s.sku = l.sku;
  perform
  from stock s
  where s.account_id = fill_lots.account_id and s.loose_filled_units > s.on_hand_units - s.lot_units
    and s.sku = any(array(
      select g.sku
      from item_lot g
      where g.account_id = fill_lots.account_id and g.order_number = fill_lots.order_number
        and g.item_id = any(lot_items) and g.units > g.shelf_units));
  perform conflict_unless(not found);
end
$$;
