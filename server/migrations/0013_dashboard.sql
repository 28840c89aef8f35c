-- What the pharmacy's people see at a glance: where orders stand, since when, and whether that is too long.

alter table orders
  -- Since when it stands where it stands: real time, whatever the account's clock.
  add column stage_since timestamptz,
  -- The strictest among its items.
  add column drug_schedule text not null default '0' check (drug_schedule in ('0', '2', '3', '4', '5')),
  -- Where it stands, in one word: the stage, else the status.
  add column queue text generated always as (coalesce(stage, case order_status
    when 'On Hold' then 'on_hold'
    when 'Shipped' then 'shipped'
    when 'Delivered' then 'delivered'
    when 'Canceled' then 'canceled' end)) stored;
update orders o
set stage_since = o.updated_at - make_interval(secs => a.clock_offset_s)
from account a
where a.account_id = o.account_id;
update orders o
set drug_schedule = coalesce((
  select min(s.schedule)
  from order_item i
  join product p on p.account_id = i.account_id and p.sku = i.sku
  left join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id
  cross join lateral (values (p.drug_schedule), (r.drug_schedule)) as s(schedule)
  where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null
    and s.schedule <> '0'), '0');
alter table orders alter column stage_since set not null;

-- Where all orders of the moment stand in one queue, the index must still look better than walking all of them.
alter table orders alter column queue set (n_distinct = 8);
-- A queue's page is read from here, whoever waits longest first; what it can be filtered by lies beside, so that a
-- filter which few orders pass need not look at all the others.
create index orders_in_queue on orders (account_id, queue, stage_since, order_number)
  include (brand_id, ship_state, drug_schedule, exception_ids);

-- How long an order may stand in a queue, where the pharmacy has set its own; null: it is never late.
create table queue_target (
  queue text primary key,
  target_minutes integer check (target_minutes > 0),
  set_by text not null references person,
  set_at timestamptz not null
);
