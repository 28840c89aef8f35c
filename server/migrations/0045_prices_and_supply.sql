-- The price before the last change, and until when an order still pays it if it is lower. A quote that a partner received
-- just before the change stays true, and no quote is stored.
alter table product
  add column held_price_cents integer check (held_price_cents >= 0),
  add column held_until timestamptz,
  add constraint product_held_price check ((held_price_cents is null) = (held_until is null));
alter table shipping_method
  add column held_price_cents integer check (held_price_cents >= 0),
  add column held_until timestamptz,
  add constraint shipping_method_held_price check ((held_price_cents is null) = (held_until is null));

-- Who runs out of a medication, in the order of time.
create index order_item_supply on order_item (account_id, supply_ends_at, order_number, item_id)
  where supply_ends_at is not null;
