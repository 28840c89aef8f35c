-- What a pharmacist records about the counseling of a shipped fill (ADR 0072). An offer in the parcel has no row: the shipment
-- and the state's rule say that it was made.
create table counseling_entry (
  account_id text not null,
  order_number text not null,
  item_id integer not null,
  -- Counts up, so that the key refuses the second of two entries that were decided on the same list.
  entry_number integer not null check (entry_number > 0),
  at timestamptz not null,
  outcome text not null check (outcome in ('no_answer', 'offered', 'given', 'refused')),
  how text not null check (how in ('phone', 'video', 'in_person', 'written')),
  person_id text not null,
  -- Of the pharmacist, at that time.
  license_number text not null,
  note_sealed bytea,
  note_key_id integer generated always as (sealed_key_id(note_sealed)) stored references data_key,
  primary key (account_id, order_number, item_id, entry_number),
  foreign key (account_id, order_number, item_id) references order_item
);

-- Wrong packages that a scan or a check stopped, for the report of near misses.
create table product_miss (
  account_id text not null,
  order_number text not null,
  miss_id bigint generated always as identity,
  at timestamptz not null,
  person_id text not null,
  stage text not null,
  -- The key of the refused step.
  found text not null,
  primary key (account_id, order_number, miss_id),
  foreign key (account_id, order_number) references orders
);
create index product_miss_by_time on product_miss (account_id, at);

-- Steps with a person's reason, such as an override or an order sent back to fill. A new order has none, so it adds no entry.
create index order_history_reasons on order_history (account_id, at, order_number, history_position)
  where note_id is not null;
