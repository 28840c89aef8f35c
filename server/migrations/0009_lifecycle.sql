-- What happens to an order after it was placed: who works on it, what was filled, sent, paid and asked for.

alter table orders
  -- Who works on it, and until when nobody else may: real time, whatever the account's clock.
  add column claimed_by text,
  add column claimed_until timestamptz,
  -- Whoever filled it does not check it.
  add column filled_by text,
  -- What the safety engine found, for the pharmacist.
  add column safety_sealed bytea,
  add column safety_key_id integer generated always as (sealed_key_id(safety_sealed)) stored references data_key,
  -- Tells one try to get the patient's money from the next.
  add column payment_attempt integer not null default 1,
  add column captured_cents integer not null default 0 check (captured_cents >= 0),
  drop constraint orders_check,
  add check (refunded_cents between 0 and captured_cents),
  add check ((claimed_by is null) = (claimed_until is null));
create index orders_claimed on orders (account_id, claimed_by) where claimed_by is not null;
create index orders_by_stage on orders (account_id, stage, order_position) where stage is not null;

alter table order_item
  -- No longer part of the order; it stays here, because what was told of it was told.
  add column removed_at timestamptz,
  add column lot text check (lot <> ''),
  add column lot_expires_on date,
  add column shipped_at timestamptz,
  -- Until when the patient has enough of it, and for as long the safety engine counts it as taken.
  add column supply_ends_at timestamptz,
  add check ((lot is null) = (lot_expires_on is null));
create index order_item_lot on order_item (account_id, lot) where lot is not null;
create index order_item_taken on order_item (account_id, patient_id, supply_ends_at) where supply_ends_at is not null;
create index order_item_back_ordered on order_item (account_id, sku) where pending and not reserved;
create index order_item_missing_rx on order_item (account_id, patient_id)
  where pending and needs_prescription and prescription_id is null;
create index order_item_shipped on order_item (account_id, shipped_at) where shipped_at is not null;

-- What raised it, blinded: null where a person did, and then only a person or an action ends it.
alter table order_exception add column basis text;
-- Held because nothing could be checked; looked at again once it can. The only basis that is not blinded.
create index order_exception_unchecked on order_exception (account_id, order_number)
  where basis = 'unavailable' and resolved_at is null;

-- What somebody wrote: a note, or the reason for a change. What overrides the safety engine carries a signature over
-- who, when, what and why, so that nobody changes it unseen.
create table order_note (
  account_id text not null,
  order_number text not null,
  note_id uuid not null,
  at timestamptz not null,
  person_id text,
  role text not null,
  text_sealed bytea not null,
  text_key_id integer generated always as (sealed_key_id(text_sealed)) stored references data_key,
  signature bytea,
  primary key (account_id, order_number, note_id),
  foreign key (account_id, order_number) references orders
);

alter table order_history
  add column person_id text,
  add column stage text,
  add column note_id uuid,
  add foreign key (account_id, order_number, note_id) references order_note;

create table shipment (
  account_id text not null,
  order_number text not null,
  shipment_id integer not null,
  tracking_no text not null,
  tracking_url text,
  carrier text not null,
  method text not null,
  status text not null check (status in (
    'label_created', 'in_transit', 'out_for_delivery', 'delivered', 'returned', 'lost', 'exception')),
  shipped_at timestamptz not null,
  delivered_at timestamptz,
  -- When the carrier is asked again; null once it has nothing more to tell.
  next_scan_at timestamptz,
  label_format text not null check (label_format in ('PDF', 'PNG', 'ZPL')),
  label_sealed bytea not null,
  label_key_id integer generated always as (sealed_key_id(label_sealed)) stored references data_key,
  primary key (account_id, order_number, shipment_id),
  foreign key (account_id, order_number) references orders,
  check ((status = 'delivered') = (delivered_at is not null))
);
create index shipment_by_tracking_no on shipment (account_id, tracking_no);
create index shipment_to_track on shipment (account_id, next_scan_at) where next_scan_at is not null;

create table shipment_scan (
  account_id text not null,
  order_number text not null,
  shipment_id integer not null,
  at timestamptz not null,
  status text not null,
  place text,
  description text not null,
  primary key (account_id, order_number, shipment_id, at, status),
  foreign key (account_id, order_number, shipment_id) references shipment
);

-- The movements of an order's money. `asked`: saved, and the provider not yet told or its answer not yet heard.
create table payment_entry (
  account_id text not null,
  order_number text not null,
  payment_entry_id uuid not null,
  kind text not null check (kind in ('authorisation', 'capture', 'void', 'refund')),
  amount_cents integer not null check (amount_cents >= 0),
  reason_id integer,
  state text not null check (state in ('asked', 'done')),
  actor text not null,
  at timestamptz not null,
  primary key (account_id, order_number, payment_entry_id),
  foreign key (account_id, order_number) references orders,
  check ((kind = 'refund') = (reason_id is not null))
);
create index payment_entry_asked on payment_entry (account_id, at) where state = 'asked';

-- What partners asked of an order; only what tells of nobody is kept of the fields.
create table order_action_request (
  account_id text not null,
  order_number text not null,
  id bigint generated by default as identity (start with 700001),
  event text not null,
  exception_id integer,
  reason_id integer,
  amount_cents integer,
  prescription_id bigint,
  item_id integer,
  created_at timestamptz not null,
  primary key (account_id, order_number, id),
  foreign key (account_id, order_number) references orders
);
