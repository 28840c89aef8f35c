-- Treatment data and names that no statement decides by are sealed (ADR 0040). The clear columns stay for rows of earlier
-- versions: the service seals those after the start and empties the columns.

alter table webhook_event alter column body drop not null;
alter table webhook_event add column body_sealed bytea;
alter table webhook_event
  add column body_key_id integer generated always as (sealed_key_id(body_sealed)) stored references data_key;
alter table webhook_event add constraint webhook_event_body check (body is not null or body_sealed is not null);
create index webhook_event_unsealed on webhook_event (account_id, event_id) where body is not null;

-- What the prescriber wrote and who it is. Their NPI leads to their name, so it is sealed with it.
alter table prescription alter column sig_text drop not null;
alter table prescription alter column prescriber_name drop not null;
alter table prescription add column written_sealed bytea;
alter table prescription
  add column written_key_id integer generated always as (sealed_key_id(written_sealed)) stored references data_key;
alter table prescription
  add constraint prescription_written check (written_sealed is not null or (sig_text is not null and prescriber_name is not null));
create index prescription_unsealed on prescription (account_id, prescription_id) where sig_text is not null;

-- The partner's own id of an order. The blind index finds it by equality.
alter table orders add column reference_sealed bytea;
alter table orders
  add column reference_key_id integer generated always as (sealed_key_id(reference_sealed)) stored references data_key;
alter table orders add column reference_index bytea;
drop index orders_by_reference;
create index orders_by_reference on orders (account_id, reference_index, order_position) where reference_index is not null;
create index orders_unsealed on orders (account_id, order_number) where reference is not null;

-- The prescriber whom an order names.
alter table order_item add column prescriber_sealed bytea;
alter table order_item
  add column prescriber_key_id integer generated always as (sealed_key_id(prescriber_sealed)) stored references data_key;
create index order_item_unsealed on order_item (account_id, order_number, item_id)
  where prescriber_name is not null or prescriber_phone is not null or prescriber_fax is not null;

-- How many values a key has sealed, counted ahead. Earlier versions did not count; no key of theirs sealed more than this.
alter table data_key add column seals bigint not null default 0;
update data_key set seals = 1073741824;
