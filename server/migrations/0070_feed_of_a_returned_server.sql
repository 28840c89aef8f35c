-- Feed positions of a server that leads again (ADR 0093). Another server led in between and gave out higher positions. This one did
-- not restart, so `raise_webhook_feed` would keep its base.

-- `kept`: events from this position on move above the new base, because partners may have read events of the other server before these.
-- Null if it is unknown.
create function restart_webhook_feed(kept bigint) returns bigint
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
  from account a
  where e.account_id = a.account_id and e.feed_position >= kept and e.feed_position < run_base;
  return run_base;
end
$$;
