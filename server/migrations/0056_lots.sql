-- Stock by lot (ADR 0070). Stock that was received without a lot stays without one, and orders are filled from it as before.
alter table stock
  -- On hand with a known lot: the sum of stock_lot.
  add column lot_units numeric not null default 0,
  -- On hand without a known lot, and in an order that is filled and has not shipped.
  add column loose_filled_units numeric not null default 0,
  -- From parcels that came back. They are not on hand, and no order is filled from them.
  add column returned_units numeric not null default 0;

create table stock_lot (
  account_id text not null,
  sku text not null,
  -- In upper case.
  lot text not null check (lot <> ''),
  expires_on date not null,
  on_hand_units numeric not null default 0,
  -- Of these, the units in orders that are filled and have not shipped.
  filled_units numeric not null default 0,
  returned_units numeric not null default 0,
  primary key (account_id, sku, lot),
  foreign key (account_id, sku) references stock,
  check (filled_units >= 0 and filled_units <= on_hand_units and returned_units >= 0)
);
-- Which products have a lot on the shelf.
create index stock_lot_by_lot on stock_lot (account_id, lot);

-- The lots of an order item. `order_item.lot` is the one that expires first.
create table item_lot (
  account_id text not null,
  order_number text not null,
  item_id integer not null,
  -- As on the package.
  lot text not null check (lot <> ''),
  sku text not null,
  expires_on date not null,
  units numeric not null check (units > 0),
  -- The part that the shelf had under this lot. The rest came from stock without a lot.
  shelf_units numeric not null check (shelf_units >= 0 and shelf_units <= units),
  primary key (account_id, order_number, item_id, lot),
  foreign key (account_id, order_number, item_id) references order_item
);
create index item_lot_by_lot on item_lot (account_id, upper(lot));

insert into item_lot (account_id, order_number, item_id, lot, sku, expires_on, units, shelf_units)
select account_id, order_number, item_id, lot, sku, lot_expires_on, units, 0
from order_item
where lot is not null and removed_at is null and (pending or shipped_at is not null);

update stock s
set loose_filled_units = f.units
from (
  select account_id, sku, sum(units) as units
  from order_item
  where lot is not null and removed_at is null and pending
  group by account_id, sku) f
where s.account_id = f.account_id and s.sku = f.sku;

-- A recall reads item_lot.
drop index order_item_lot;
-- When the item's units came back to the pharmacy.
alter table order_item add column returned_at timestamptz;

-- What an entry did to a lot, and who returned or destroyed units.
alter table stock_entry
  add column lot text,
  -- The part of the units that the lot's own shelf gained or lost.
  add column lot_units numeric,
  add column reason text,
  add column person_id text,
  add column witness_id text;

create or replace function stock_entry_fits(kind text, units numeric)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return kind in ('received', 'reserved', 'released', 'dispensed', 'counted', 'returned', 'destroyed', 'returned_destroyed')
    and (kind = 'counted' or units > 0);
end
$$;
