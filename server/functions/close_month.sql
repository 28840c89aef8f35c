-- revision 2
-- Closes a month of an account: stores its sums, and keeps later lines out of it. It waits for the lines that are being
-- written. If another process has closed a month since, it raises 40001.
create or replace function close_month(
  account_id text,
  -- Up to where the months were closed at decision time.
  known_closed_until timestamptz,
  month text,
  from_at timestamptz,
  to_at timestamptz,
  closed_at timestamptz
) returns void
language plpgsql
as $$
declare
  sums jsonb;
begin
  perform
  from ledger l
  where l.account_id = close_month.account_id and l.closed_until = known_closed_until
  for update;
  perform conflict_unless(found);

  select coalesce(jsonb_agg(to_jsonb(s) order by s.payer, s.kind), '[]') into sums
  from (
    select e.payer, e.kind, sum(e.amount_cents) as amount_cents, count(*) as lines
    from money_entry e
    where e.account_id = close_month.account_id and e.booked_at >= close_month.from_at
      and e.booked_at < close_month.to_at
    group by e.payer, e.kind) s;
  insert into statement (account_id, month, from_at, to_at, closed_at, sums)
  values (account_id, month, from_at, to_at, closed_at, sums);

  update ledger l
  set closed_until = close_month.to_at, closed_month = close_month.month
  where l.account_id = close_month.account_id;
end
$$;
