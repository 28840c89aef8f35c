-- The shipping labels of orders that the pharmacy packs. A label is made when someone prints it, and keeps its tracking number
-- until the carrier takes the parcel (ADR 0066).
create table parcel_label (
  account_id text not null,
  order_number text not null,
  -- Counts up: a label that was voided is never used again.
  label_id integer not null check (label_id > 0),
  -- `voiding` until the carrier knows that the label will not be used.
  state text not null check (state in ('ready', 'shipped', 'voiding', 'voided')),
  tracking_no text not null,
  tracking_url text,
  carrier text not null,
  label_format text not null check (label_format in ('PDF', 'PNG', 'ZPL')),
  printed_at timestamptz not null,
  printed_by text not null,
  -- The label, and the address and method that it was made for. Null once it has shipped or is voided.
  content_sealed bytea,
  content_key_id integer generated always as (sealed_key_id(content_sealed)) stored references data_key,
  primary key (account_id, order_number, label_id),
  foreign key (account_id, order_number) references orders,
  check ((state = 'ready') = (content_sealed is not null))
);
create unique index parcel_label_ready on parcel_label (account_id, order_number)
  where state = 'ready';
create index parcel_label_unused on parcel_label (account_id, order_number)
  where state in ('ready', 'voiding');

-- Recalled lots. No order is filled from them, and an order that was filled from one is neither checked nor shipped.
create table lot_quarantine (
  environment text not null check (environment in ('production', 'sandbox')),
  -- In upper case.
  lot text not null,
  -- Empty for every product.
  sku text not null,
  quarantined_at timestamptz not null,
  quarantined_by text not null,
  primary key (environment, lot, sku)
);

-- Which orders' partners the pharmacy told about a recalled lot.
create table recall_notice (
  account_id text not null,
  order_number text not null,
  -- In upper case.
  lot text not null,
  told_at timestamptz not null,
  told_by text not null,
  primary key (account_id, order_number, lot),
  foreign key (account_id, order_number) references orders
);
