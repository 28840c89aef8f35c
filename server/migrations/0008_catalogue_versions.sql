-- Catalogues change by import: each change is a version, and what is no longer offered is retired, never deleted.

create table catalogue_version (
  -- Licences are the pharmacy's own: their versions belong to the operator's account of the environment.
  account_id text not null references account,
  version integer not null check (version > 0),
  kind text not null check (kind in ('products', 'brands', 'shipping_methods', 'licences', 'stock')),
  -- The name of the file.
  source text not null,
  imported_at timestamptz not null,
  -- What was added, changed (field by field, from and to) and retired, and how much stayed as it was.
  summary jsonb not null,
  primary key (account_id, version)
);

-- Orders go on referring to what they were made of.
alter table product add column retired_at timestamptz;
alter table brand add column retired_at timestamptz;
alter table shipping_method add column retired_at timestamptz;
alter table licence add column retired_at timestamptz;

-- What is retired leaves its NDC, and being the default, to another.
drop index product_ndc;
create unique index product_ndc_offered on product (account_id, ndc) where ndc is not null and retired_at is null;
create index product_ndc on product (account_id, ndc) where ndc is not null;
drop index brand_default;
create unique index brand_default on brand (account_id) where "default" and retired_at is null;
drop index shipping_method_default;
create unique index shipping_method_default on shipping_method (account_id) where "default" and retired_at is null;

-- on_hand_units is what was received and counted, less what was dispensed; reserved_units is what was reserved, less
-- what was released and dispensed. A count's units are the difference it found; all others are above zero.
alter table stock_entry add column note text;
alter table stock_entry add check (kind = 'counted' or units > 0);

insert into stock_entry (account_id, sku, kind, units, at, note)
select s.account_id, s.sku, 'received', s.on_hand_units, now(), 'on hand when the ledger began'
from stock s
where s.on_hand_units > 0;
