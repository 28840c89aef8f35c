-- What accounts were charged and refunded, a line per item, parcel, fee, refund and credit (ADR 0058). A month is a range
-- of these lines, and a closed month never changes.

-- Up to where each account's months are closed. A line takes a shared lock on the row and a closing takes it alone, so no
-- line reaches a month that is being closed.
create table ledger (
  account_id text primary key references account,
  closed_until timestamptz not null default 'epoch',
  -- The newest closed month. A new TIME_ZONE must not open it again.
  closed_month text check (closed_month ~ '^[0-9]{4}-[0-9]{2}$')
);

create table money_entry (
  account_id text not null references ledger,
  -- The account's time.
  booked_at timestamptz not null,
  -- The payment entry that the line belongs to, or its own id if it is a fee or a credit of the pharmacy.
  source_id uuid not null,
  line_no integer not null check (line_no > 0),
  kind text not null check (kind in ('item', 'shipment', 'fee', 'refund', 'credit')),
  payer text not null check (payer in ('partner', 'patient')),
  -- Refunds and credits are negative.
  amount_cents integer not null check (
    case when kind in ('refund', 'credit') then amount_cents <= 0 else amount_cents >= 0 end),
  order_number text check (order_number is not null or kind in ('fee', 'credit')),
  item_id integer check ((item_id is not null) = (kind = 'item')),
  sku text check ((sku is not null) = (kind = 'item')),
  quantity integer check ((quantity is not null) = (kind = 'item')),
  reason_id integer check ((reason_id is not null) = (kind = 'refund')),
  description text,
  primary key (account_id, booked_at, source_id, line_no),
  foreign key (account_id, order_number) references orders
);

create table statement (
  account_id text not null references ledger,
  month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
  from_at timestamptz not null,
  to_at timestamptz not null check (to_at > from_at),
  closed_at timestamptz not null,
  -- One object per payer and kind: payer, kind, amount_cents, lines.
  sums jsonb not null,
  primary key (account_id, month)
);

-- The lines of a payment. A capture has a line per item that shipped and one for the parcel. If the card was charged
-- another amount than the order costs now, one more line has the difference, so that the lines always add up to the
-- payment.
create function book_payment(of_account text, of_order text, of_entry uuid) returns void
language plpgsql
as $$
begin
  with payment as (
    select p.kind, p.amount_cents, p.reason_id, p.at, o.payer, o.amount_cents as price_cents
    from payment_entry p
    join orders o on o.account_id = p.account_id and o.order_number = p.order_number
    where p.account_id = of_account and p.order_number = of_order and p.payment_entry_id = of_entry
  ), item as (
    select i.item_id, i.sku, i.quantity, i.price_cents, row_number() over (order by i.item_id)::integer as line_no
    from order_item i
    where i.account_id = of_account and i.order_number = of_order and i.removed_at is null
  ), shipped as (
    select count(*)::integer as items, coalesce(sum(i.price_cents), 0)::integer as items_cents
    from item i
  ), parcel as (
    select s.items, s.items_cents, greatest(p.price_cents - s.items_cents, 0) as shipping_cents,
      p.amount_cents - s.items_cents - greatest(p.price_cents - s.items_cents, 0) as difference_cents
    from shipped s, payment p
  ), line as (
    select i.line_no, 'item' as kind, i.price_cents as amount_cents, i.item_id, i.sku, i.quantity,
      null::integer as reason_id, null::text as description
    from item i, payment p
    where p.kind = 'capture'
    union all
    select c.items + 1, 'shipment', c.shipping_cents, null, null, null, null, (
      select s.method
      from shipment s
      where s.account_id = of_account and s.order_number = of_order
      order by s.shipment_id desc
      limit 1)
    from parcel c, payment p
    where p.kind = 'capture'
    union all
    select c.items + 2, case when c.difference_cents > 0 then 'fee' else 'credit' end, c.difference_cents, null, null,
      null, null, 'Difference between the charge and the price'
    from parcel c, payment p
    where p.kind = 'capture' and c.difference_cents <> 0
    union all
    select 1, 'refund', -p.amount_cents, null, null, null, p.reason_id, null
    from payment p
    where p.kind = 'refund'
  )
  insert into money_entry (account_id, booked_at, source_id, line_no, kind, payer, amount_cents, order_number, item_id,
    sku, quantity, reason_id, description)
  select of_account, p.at, of_entry, l.line_no, l.kind, p.payer, l.amount_cents, of_order, l.item_id, l.sku, l.quantity,
    l.reason_id, l.description
  from line l, payment p;
end
$$;

-- Orders that shipped before this migration. Their months close by the usual job.
insert into ledger (account_id)
select distinct p.account_id
from payment_entry p
where p.kind in ('capture', 'refund');
select count(book_payment(p.account_id, p.order_number, p.payment_entry_id))
from payment_entry p
where p.kind in ('capture', 'refund');

-- With the payment itself, so that no payment lacks its lines, not even one that an earlier build saves during a rolling
-- upgrade. A restore brings the lines with it.
create function book_new_payment() returns trigger
language plpgsql
as $$
begin
  perform book_payment(new.account_id, new.order_number, new.payment_entry_id);
  return null;
end
$$;
create trigger payment_entry_booked after insert on payment_entry
for each row when (
  new.kind in ('capture', 'refund') and coalesce(current_setting('pestle.copying', true), '') <> 'on')
execute function book_new_payment();

-- A line of a closed month is a conflict: the caller decides again with a newer time.
create function guard_money_entry() returns trigger
language plpgsql
as $$
declare
  closed timestamptz;
begin
  if tg_op <> 'INSERT' then
    raise exception 'a line of the ledger never changes' using errcode = 'integrity_constraint_violation';
  end if;
  select l.closed_until into closed
  from ledger l
  where l.account_id = new.account_id
  for share;
  if not found then
    insert into ledger (account_id) values (new.account_id) on conflict do nothing;
    select l.closed_until into closed
    from ledger l
    where l.account_id = new.account_id
    for share;
  end if;
  if new.booked_at < closed then
    raise exception 'the month of this line is closed' using errcode = '40001';
  end if;
  return new;
end
$$;
create trigger money_entry_added before insert on money_entry
for each row when (coalesce(current_setting('pestle.copying', true), '') <> 'on')
execute function guard_money_entry();
create trigger money_entry_kept before update or delete on money_entry
for each row execute function guard_money_entry();

create function guard_statement() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'ledger' then
    if new.account_id = old.account_id and new.closed_until >= old.closed_until then
      return new;
    end if;
  end if;
  raise exception 'a closed month never changes' using errcode = 'integrity_constraint_violation';
end
$$;
create trigger statement_kept before update or delete on statement
for each row execute function guard_statement();
create trigger ledger_kept before update or delete on ledger
for each row execute function guard_statement();
