-- Postage that Pestle buys from a carrier service for a label (ADR 0077). The service's shipment is stored before its postage
-- is bought, so that an interrupted purchase goes on with the same one and never becomes two.
create table postage (
  account_id text not null,
  order_number text not null,
  -- Counts up: a label that the service refused, or that was made for another address, gets another shipment.
  postage_id integer not null check (postage_id > 0),
  -- The label that it is for; a label that was never stored has no row in `parcel_label`.
  label_id integer not null check (label_id > 0),
  provider text not null,
  -- The service's id of the shipment.
  provider_ref text not null,
  -- `made`: maybe bought. `unused`: never bought. `refunding` until the service decides on the refund.
  state text not null check (state in ('made', 'bought', 'unused', 'refunding', 'refunded', 'refused')),
  made_at timestamptz not null,
  tracking_no text,
  carrier text,
  service text,
  -- The rate of the service, and all that was charged for the label, with surcharges.
  rate_cents integer check (rate_cents >= 0),
  paid_cents integer check (paid_cents >= 0),
  -- When the job looks at it again; null if nothing can change.
  check_at timestamptz,
  -- The address and method that it was made for.
  made_for_sealed bytea not null,
  made_for_key_id integer generated always as (sealed_key_id(made_for_sealed)) stored references data_key,
  primary key (account_id, order_number, postage_id),
  foreign key (account_id, order_number) references orders,
  check ((state = 'bought') <= (tracking_no is not null))
);
create index postage_to_check on postage (account_id, check_at)
  where check_at is not null;

-- The carrier service and the usual parcel of a shipping method, if the built-in table does not fit.
create table shipping_service (
  account_id text not null,
  method_id integer not null,
  carrier text not null,
  service text not null,
  length_in integer check (length_in > 0),
  width_in integer check (width_in > 0),
  height_in integer check (height_in > 0),
  weight_oz integer check (weight_oz > 0),
  primary key (account_id, method_id),
  foreign key (account_id, method_id) references shipping_method
);

-- The carrier returns, loses or cannot deliver a parcel.
alter table notification
  drop constraint notification_kind_check,
  drop constraint notification_check,
  add check (kind in ('mention', 'assignment', 'answer', 'parcel')),
  add check ((kind in ('answer', 'parcel')) = (caused_by is null));
