-- What a carrier charged or gave back for a label after it was bought, such as for a heavier parcel (ADR 0080).
create table postage_adjustment (
  account_id text not null,
  order_number text not null,
  postage_id integer not null,
  -- The carrier service's id of the invoice. A later version of the same invoice replaces it.
  provider_ref text not null,
  at timestamptz not null,
  -- Negative if the carrier gave money back.
  amount_cents integer not null,
  reason text not null check (reason in ('weight', 'size', 'service', 'distance', 'other')),
  primary key (account_id, order_number, postage_id, provider_ref),
  foreign key (account_id, order_number, postage_id) references postage
);
