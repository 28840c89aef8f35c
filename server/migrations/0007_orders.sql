-- Orders: what a partner asked to be sent, what holds it, what happened to it, and what it took from the shelf.

create table orders (
  account_id text not null,
  order_number text not null check (order_number ~ '^[0-9A-HJKMNP-TV-Z]{10}$'),
  -- Grows with every order: lists are newest first, and a cursor into them stays where it is.
  order_position bigint generated always as identity,
  revision integer not null default 1,
  order_status text not null
    check (order_status in ('Processing', 'Filling', 'Shipped', 'Delivered', 'On Hold', 'Canceled')),
  stage text check (stage in ('clinical_review', 'fill', 'product_check', 'pack')),
  -- Where it stood before it was held.
  held_from text check (held_from in ('Processing/clinical_review', 'Filling/fill', 'Filling/product_check', 'Filling/pack')),
  open_exceptions integer not null default 0 check (open_exceptions >= 0),
  exception_ids integer[] not null default '{}',
  patient_id text not null,
  brand_id integer not null,
  reference text,
  workflow text not null check (workflow in ('api_driven', 'automatic')),
  shipping_method_id integer not null,
  signature_confirmation boolean not null,
  -- The ship-to address; null while exception 66 is open.
  address_sealed bytea,
  address_key_id integer generated always as (sealed_key_id(address_sealed)) stored references data_key,
  ship_state text,
  label_format text check (label_format in ('PDF', 'PNG', 'ZPL')),
  label_carrier text,
  label_tracking_no text,
  label_sealed bytea,
  label_key_id integer generated always as (sealed_key_id(label_sealed)) stored references data_key,
  payer text not null check (payer in ('partner', 'patient')),
  payment_status text not null check (payment_status in ('pending', 'authorized', 'captured', 'declined', 'voided', 'refunded')),
  payment_reference text,
  amount_cents integer not null check (amount_cents >= 0),
  refunded_cents integer not null default 0 check (refunded_cents between 0 and amount_cents),
  -- Numbers the changes that send events.
  sequence integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, order_number),
  foreign key (account_id, patient_id) references patient,
  foreign key (account_id, brand_id) references brand,
  foreign key (account_id, shipping_method_id) references shipping_method,
  check ((order_status = 'On Hold') = (open_exceptions > 0)),
  check ((order_status = 'On Hold') = (held_from is not null)),
  check ((order_status in ('Processing', 'Filling')) = (stage is not null)),
  check (open_exceptions = cardinality(exception_ids))
);
create unique index orders_by_position on orders (account_id, order_position);
create index orders_of_patient on orders (account_id, patient_id, order_position);
create index orders_by_status on orders (account_id, order_status, order_position);
create index orders_by_reference on orders (account_id, reference, order_position) where reference is not null;
create index orders_by_brand on orders (account_id, brand_id, order_position);
create index orders_by_update on orders (account_id, updated_at);

create table order_item (
  account_id text not null,
  order_number text not null,
  item_id integer not null,
  dispense_id bigint generated always as identity,
  prescription_id bigint,
  sku text not null,
  ndc text,
  gcn text,
  quantity integer not null check (quantity > 0),
  package_size numeric not null check (package_size > 0),
  units numeric not null generated always as (quantity * package_size) stored,
  -- What of it is set aside on the shelf: all, or nothing while exception 76 is open.
  reserved boolean not null,
  price_cents integer not null check (price_cents >= 0),
  prescriber_name text,
  prescriber_phone text,
  prescriber_fax text,
  -- Kept here so that an open order of the same medication is found by index alone.
  patient_id text not null,
  -- True until the order is shipped or canceled.
  pending boolean not null default true,
  primary key (account_id, order_number, item_id),
  foreign key (account_id, order_number) references orders,
  foreign key (account_id, prescription_id) references prescription,
  foreign key (account_id, sku) references product
);
create index order_item_of_prescription on order_item (account_id, prescription_id, order_number)
  where prescription_id is not null;
create index order_item_pending on order_item (account_id, patient_id, gcn) where pending and gcn is not null;

create table order_exception (
  account_id text not null,
  order_number text not null,
  exception_id integer not null check (exception_id between 64 and 80),
  raised_at timestamptz not null,
  resolved_at timestamptz,
  resolved_by text,
  -- What was confirmed when it was resolved: the same data does not raise it again.
  confirmed text,
  occurrence integer not null,
  primary key (account_id, order_number, exception_id, occurrence),
  foreign key (account_id, order_number) references orders
);
create unique index order_exception_open on order_exception (account_id, order_number, exception_id)
  where resolved_at is null;

create table order_history (
  account_id text not null,
  order_number text not null,
  history_position bigint generated always as identity,
  at timestamptz not null,
  actor text not null,
  event text not null,
  "from" text,
  "to" text not null,
  exception_id integer,
  primary key (account_id, order_number, history_position),
  foreign key (account_id, order_number) references orders
);

-- The last order that a body made: for a minute the same body is a duplicate. Real time, whatever the account's clock.
create table order_fingerprint (
  account_id text not null references account,
  fingerprint bytea not null,
  order_number text not null,
  created_at timestamptz not null,
  primary key (account_id, fingerprint)
);
create index order_fingerprint_age on order_fingerprint (account_id, created_at);

-- Why the shelf holds what it holds: what came, what was set aside, given back and sent.
create table stock_entry (
  account_id text not null,
  sku text not null,
  stock_entry_id bigint generated always as identity,
  kind text not null check (kind in ('received', 'reserved', 'released', 'dispensed', 'counted')),
  units numeric not null,
  order_number text,
  at timestamptz not null,
  primary key (account_id, sku, stock_entry_id),
  foreign key (account_id, sku) references stock
);
