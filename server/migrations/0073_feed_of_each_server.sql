-- The feed's functions find the newest events from the row of each account that is with the account's other rows, so that a
-- database that is spread over several servers can run them (ADR 0096).
create or replace function raise_webhook_feed() returns bigint
language plpgsql
as $$
declare
  -- A server that was a replica starts writing at its promotion and never becomes a replica again before a restart. So its start
  -- identifies the time in which it gives out ids.
  started constant timestamptz := pg_postmaster_start_time();
  run_base bigint;
  newest bigint;
begin
  select f.base into run_base from webhook_feed f where f.server_started_at = started;
  if found then
    return run_base;
  end if;
  insert into webhook_feed (base) values (0) on conflict (singleton) do nothing;
  -- One transaction raises it. The others wait here and then find it raised.
  perform from webhook_feed for update;
  select f.base into run_base from webhook_feed f where f.server_started_at = started;
  if found then
    return run_base;
  end if;
  select coalesce(max(n.feed_position), 0) into newest
  from account_home h
  cross join lateral (
    select e.feed_position
    from webhook_event e
    where e.account_id = h.account_id
    order by e.feed_position desc
    limit 1) n;
  -- Counted from the oldest running transaction, which may write an event yet.
  update webhook_feed
  set server_started_at = started,
    base = greatest(floor(extract(epoch from clock_timestamp()) * 100000)::bigint, newest + 1)
      - pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  returning base into run_base;
  return run_base;
end
$$;

create or replace function restart_webhook_feed(kept bigint) returns bigint
language plpgsql
as $$
declare
  run_base bigint;
begin
  -- No transaction may write events with the old base and commit after the new one is in use: the feed would pass it by.
  lock table webhook_event in share row exclusive mode;
  update webhook_feed set server_started_at = null;
  run_base := raise_webhook_feed();
  update webhook_event e
  set feed_position = run_base + pg_current_xact_id()::text::bigint
  from account_home h
  where e.account_id = h.account_id and e.feed_position >= kept and e.feed_position < run_base;
  return run_base;
end
$$;
