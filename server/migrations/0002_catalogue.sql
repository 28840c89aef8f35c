-- What an account may order, how it travels, and where the pharmacy may send it.

create table shipping_method (
  account_id text not null references account,
  id integer not null check (id > 0),
  name text not null,
  carrier text not null,
  service text not null,
  signature_confirmation boolean not null,
  po_box boolean not null,
  cold_chain boolean not null,
  price_cents integer not null check (price_cents >= 0),
  transit_days_min integer not null check (transit_days_min >= 0),
  transit_days_max integer not null,
  "default" boolean not null default false,
  primary key (account_id, id),
  check (transit_days_max >= transit_days_min)
);
create unique index shipping_method_default on shipping_method (account_id) where "default";

create table brand (
  account_id text not null references account,
  id integer not null check (id > 0),
  name text not null,
  "default" boolean not null default false,
  primary key (account_id, id)
);
create unique index brand_default on brand (account_id) where "default";

create table product (
  account_id text not null references account,
  sku text not null,
  ndc text check (ndc ~ '^[0-9]{11}$'),
  gcn text,
  name text not null,
  ingredients text[] not null,
  rx_only boolean not null,
  drug_schedule text not null check (drug_schedule in ('0', '2', '3', '4', '5')),
  package_sizes numeric[] not null check (cardinality(package_sizes) > 0),
  quantities integer[] not null check (cardinality(quantities) > 0),
  written_quantities numeric[] not null check (cardinality(written_quantities) > 0),
  max_units numeric not null check (max_units > 0),
  shipping_method_ids integer[] not null check (cardinality(shipping_method_ids) > 0),
  blocked_states text[] not null default '{}',
  cold_chain boolean not null default false,
  price_cents integer not null check (price_cents >= 0),
  back_orders boolean not null default false,
  primary key (account_id, sku),
  -- A prescription item is matched by its medication, so it has an NDC and a GCN.
  check (not rx_only or (ndc is not null and gcn is not null))
);
create unique index product_ndc on product (account_id, ndc) where ndc is not null;
create index product_gcn on product (account_id, gcn) where gcn is not null;

create table stock (
  account_id text not null,
  sku text not null,
  on_hand_units numeric not null check (on_hand_units >= 0),
  reserved_units numeric not null default 0 check (reserved_units >= 0),
  primary key (account_id, sku),
  foreign key (account_id, sku) references product,
  check (reserved_units <= on_hand_units)
);

-- The pharmacy's own, so not an account's: which states each environment may ship to.
create table licence (
  environment text not null check (environment in ('production', 'sandbox')),
  state text not null check (state ~ '^[A-Z]{2}$'),
  number text not null,
  status text not null check (status in ('active', 'suspended', 'expired')),
  valid_from date not null,
  valid_to date not null,
  primary key (environment, state)
);
