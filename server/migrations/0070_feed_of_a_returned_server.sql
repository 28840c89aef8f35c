-- Feed positions of a server that leads again (ADR 0093). Another server led in between and gave out higher positions. This one did
-- not restart, so `raise_webhook_feed` would keep its base.
create function restart_webhook_feed() returns bigint
language plpgsql
as $$
begin
  -- No transaction may write events with the old base and commit after the new one is in use: the feed would pass it by.
  lock table webhook_event in share row exclusive mode;
  update webhook_feed set server_started_at = null;
  return raise_webhook_feed();
end
$$;
