-- Feed positions never go back (ADR 0087). A position is the id of a transaction plus a base, and ids can start lower on another
-- server: after a promotion that lost transactions, a restore, or a move. So each run of a server has a base of its own.
alter table webhook_feed add column server_started_at timestamptz;
comment on column webhook_feed.server_started_at is 'The start of the server that the base belongs to.';

-- Raises the base for the server that runs now, once, and returns it. Positions continue above every position of every server
-- before: the clock counts 100,000 positions a second, and no server gives out so many transaction ids for as long. They also
-- continue above every stored event, so a clock that is slow does no harm to them.
create function raise_webhook_feed() returns bigint
language plpgsql
as $$
declare
  -- A server that was a replica starts writing at its promotion and never becomes a replica again before a restart. So its start
  -- identifies the time in which it gives out ids.
  started constant timestamptz := pg_postmaster_start_time();
  run_base bigint;
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
  -- Counted from the oldest running transaction, which may write an event yet.
  update webhook_feed
  set server_started_at = started,
    base = greatest(
      floor(extract(epoch from clock_timestamp()) * 100000)::bigint,
      (
        select coalesce(max(n.feed_position), 0) + 1
        from account a
        cross join lateral (
          select e.feed_position
          from webhook_event e
          where e.account_id = a.account_id
          order by e.feed_position desc
          limit 1) n)
    ) - pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  returning base into run_base;
  return run_base;
end
$$;

-- No transaction may write events with the old base and commit after the new one is in use: the feed would pass it by.
lock table webhook_event in share row exclusive mode;

create or replace function webhook_feed_position() returns bigint
language plpgsql
as $$
declare
  run_base bigint;
begin
  select f.base into run_base from webhook_feed f where f.server_started_at = pg_postmaster_start_time();
  if run_base is null then
    run_base := raise_webhook_feed();
  end if;
  return run_base + pg_current_xact_id()::text::bigint;
end
$$;
