-- What a database does differently whose accounts are spread over several servers (ADR 0097).

-- `pestle distribute` replaces it. Immutable, so that the planner leaves out the other half of a condition.
create function is_distributed() returns boolean
language sql immutable parallel safe
return false;

-- A copy of `person_link` is on each server, and only the coordinator can write all of them. A patient's server adds the
-- patient to `person_due` instead, and the job `check-people` copies the keys (ADR 0097).
create or replace function link_person() returns trigger
language plpgsql
as $$
begin
  if is_distributed() then
    insert into person_due (account_id, patient_key) values (new.account_id, new.patient_key);
    return null;
  end if;
  delete from person_link l
  where l.account_id = new.account_id and l.patient_key = new.patient_key and not l.person_key = any(new.person_keys);
  insert into person_link (environment, person_key, account_id, patient_key)
  select a.environment, k.person_key, new.account_id, new.patient_key
  from account a, unnest(new.person_keys) as k(person_key)
  where a.account_id = new.account_id
  order by k.person_key
  on conflict do nothing;
  return null;
end
$$;

-- One row at a time: a part of a table is a table of its own, and no statement sees the whole.
create function add_event_deliveries() returns trigger
language plpgsql
as $$
begin
  insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, order_number, due_at)
  select new.account_id, new.event_id, p.endpoint_id, new.event_position, new.order_number, new.created_at
  from webhook_endpoint p
  where p.account_id = new.account_id and p.status = 'active' and case
    when new.only_endpoint_id is not null then p.endpoint_id = new.only_endpoint_id
    else webhook_subscribes(p.events, new.event_type)
  end;
  return null;
end
$$;
drop trigger webhook_event_deliveries on webhook_event;
create trigger webhook_event_deliveries after insert on webhook_event
for each row
when (coalesce(current_setting('pestle.copying', true), '') <> 'on')
execute function add_event_deliveries();

-- Feed positions of accounts that are spread (ADR 0097). Each server counts transactions by itself, so a position is the id of a
-- transaction of the account's server plus a base that the account has there. The row moves with the account.
create table account_feed (
  account_id text primary key,
  -- The server and its start, as `feed_server` names them.
  server text not null,
  base bigint not null
);

-- Names the run of the server that has the row of the statement: its transaction ids rise as long as the name is the same.
create function feed_server() returns text
language plpgsql stable
as $$
begin
  return (
    select g.groupid || ' ' || (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint
    from pg_dist_local_group g);
end
$$;

-- The first event of an account on a server sets the account's base, above all of its events. The others wait for the row, so
-- no event of the account is written with another base meanwhile.
create function begin_account_feed(of_account text) returns bigint
language plpgsql
as $$
declare
  this_server constant text := feed_server();
  known account_feed;
  newest bigint;
  first_position bigint;
  new_base bigint;
begin
  insert into account_feed (account_id, server, base)
  values (of_account, '', 0)
  on conflict do nothing;
  select f.* into known
  from account_feed f
  where f.account_id = of_account
  for update;
  if known.server = this_server then
    return known.base;
  end if;
  select e.feed_position into newest
  from webhook_event e
  where e.account_id = of_account
  order by e.feed_position desc
  limit 1;
  first_position := greatest(floor(extract(epoch from clock_timestamp()) * 100000)::bigint, coalesce(newest, 0) + 1);
  new_base := first_position - pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  update account_feed f
  set server = this_server, base = new_base
  where f.account_id = of_account;
  return new_base;
end
$$;

-- As before on one server. Elsewhere the trigger `place_event` gives the position.
create or replace function webhook_feed_position() returns bigint
language plpgsql
as $$
declare
  run_base bigint;
begin
  if is_distributed() then
    return 0;
  end if;
  select f.base into run_base from webhook_feed f where f.server_started_at = pg_postmaster_start_time();
  if run_base is null then
    run_base := raise_webhook_feed();
  end if;
  return run_base + pg_current_xact_id()::text::bigint;
end
$$;

-- `pestle distribute` adds it as a trigger: the coordinator computes defaults, but only the account's server knows the id of its
-- transaction.
create function place_event() returns trigger
language plpgsql
as $$
declare
  known_base bigint;
begin
  select f.base into known_base
  from account_feed f
  where f.account_id = new.account_id and f.server = feed_server();
  new.feed_position := coalesce(known_base, begin_account_feed(new.account_id)) + pg_current_xact_id()::text::bigint;
  return new;
end
$$;

-- The end of the feed of an account that is spread, from its row. If the row is of another server, or missing, the account has no
-- event of this one, and all of the others are committed.
create function webhook_feed_horizon(known_server text, known_base bigint) returns bigint
language plpgsql stable
as $$
begin
  if known_server is distinct from feed_server() then
    return 9223372036854775807;
  end if;
  return known_base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
end
$$;

-- A part of a table is a table of its own, and its name begins with that of the whole.
create or replace function guard_statement() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and starts_with(tg_table_name, 'ledger') then
    if new.account_id = old.account_id and new.closed_until >= old.closed_until then
      return new;
    end if;
  end if;
  raise exception 'a closed month never changes' using errcode = 'integrity_constraint_violation';
end
$$;

-- As before on one server. Where accounts are spread, only the servers of the accounts give out positions, and a server that leads
-- again has another name.
create or replace function restart_webhook_feed(kept bigint) returns bigint
language plpgsql
as $$
declare
  run_base bigint;
begin
  if is_distributed() then
    return raise_webhook_feed();
  end if;
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

-- `pestle distribute` adds it as a trigger for the columns that no role may change: Citus has no rights of single columns.
create function refuse_update() returns trigger
language plpgsql
as $$
begin
  raise exception 'rows of % never change', tg_argv[0] using errcode = 'insufficient_privilege';
end
$$;
