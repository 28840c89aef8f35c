-- Webhooks: where events go, what is still to be delivered, what was tried, and how old ones leave (ADR 0025).

create table webhook_endpoint (
  account_id text not null references account,
  endpoint_id uuid not null,
  url text not null,
  -- Which types it is told of; none named means every type that is not opt-in.
  events text[] not null default '{}',
  description text,
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_reason text check (disabled_reason in ('partner', 'gone', 'failing')),
  disabled_at timestamptz,
  -- The partner's own webhook secret, for the second authenticity header.
  secret_sealed bytea not null,
  secret_key_id integer generated always as (sealed_key_id(secret_sealed)) stored references data_key,
  -- The whsec_ secret of Standard Webhooks.
  signing_secret_sealed bytea not null,
  signing_secret_key_id integer generated always as (sealed_key_id(signing_secret_sealed)) stored references data_key,
  -- The client secret that signs: it stays the same through a rotation until the partner switches.
  signing_credential_id text not null,
  signing_credential_secret_id integer not null,
  -- Since when nothing but failures came back, on the account's clock; written when that begins and when it ends.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, endpoint_id),
  foreign key (account_id, signing_credential_id, signing_credential_secret_id) references credential_secret,
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((status = 'disabled') = (disabled_reason is not null))
);

-- What is still to be delivered, and nothing else: a delivery that is finished leaves, and its last attempt tells how it
-- ended. So the work that is due is found in a small table, however much was ever delivered. No reference to the endpoint,
-- whose row every event would lock; what is left of a removed endpoint is swept.
create table webhook_delivery (
  account_id text not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  event_position bigint not null,
  order_number text,
  -- Attempts that ended. The first attempt of an order's event waits while an earlier event has none.
  attempts integer not null default 0,
  -- Those of them before it was last asked for again: the waits between attempts begin anew with the rest.
  attempts_before integer not null default 0 check (attempts_before between 0 and attempts),
  -- On the account's clock.
  due_at timestamptz not null,
  -- Who has it counts a claim up; only the claim that is still the last one may write down how its attempt ended.
  claims integer not null default 0,
  -- Real time, and in no index: to claim a row and to let go of it touches the row alone.
  claimed_until timestamptz,
  -- Real time.
  queued_at timestamptz not null default clock_timestamp(),
  primary key (account_id, event_id, endpoint_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index webhook_delivery_due on webhook_delivery (account_id, endpoint_id, due_at, event_position);
create index webhook_delivery_untried on webhook_delivery (account_id, endpoint_id, order_number, event_position)
  where attempts = 0 and order_number is not null;

-- What each endpoint answered, summed up by the hour of the account's clock.
create table webhook_endpoint_hour (
  account_id text not null,
  endpoint_id uuid not null,
  hour timestamptz not null,
  attempts integer not null,
  delivered integer not null,
  -- Deliveries given up after their last attempt.
  failed integer not null,
  duration_ms bigint not null,
  slowest_ms integer not null,
  primary key (account_id, endpoint_id, hour)
) with (fillfactor = 50);

-- Feed positions are ids of transactions. Where the database moved to another server, whose transactions begin at a lower
-- number, they are counted on from here; no row is no move.
create table webhook_feed (
  singleton boolean primary key default true check (singleton),
  base bigint not null
);

create function webhook_feed_position() returns bigint
language plpgsql
as $$
begin
  return coalesce((select base from webhook_feed), 0) + pg_current_xact_id()::text::bigint;
end
$$;

-- Every event below it is committed or will never be: a reader that went up to here has missed none. Stable, so that it
-- speaks of what the statement sees that asks, and not of a moment later.
create function webhook_feed_horizon() returns bigint
language plpgsql stable
as $$
begin
  return coalesce((select base from webhook_feed), 0) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
end
$$;

-- The lowest id that an event made at that time can have: ids of events begin with the time (RFC 9562, version 7).
create function event_id_from(moment timestamptz) returns uuid
language sql stable strict parallel safe
return (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

alter table webhook_event rename to webhook_event_before;
alter table webhook_event_before rename constraint webhook_event_pkey to webhook_event_before_pkey;
create sequence webhook_event_position;

-- In partitions of a week by the time in the id: a look-up by id goes to one of them, and an old one is dropped whole. No
-- reference to the account, which would be locked against everybody for the drop; accounts are never deleted.
create table webhook_event (
  account_id text not null,
  event_id uuid not null,
  event_type text not null,
  patient_id text,
  order_number text,
  body text not null,
  created_at timestamptz not null,
  -- The order of events of one order, and of one transaction.
  event_position bigint not null default nextval('webhook_event_position'),
  -- The order of the feed: that of the transactions. Not to be read from webhook_feed_horizon() on.
  feed_position bigint not null default webhook_feed_position(),
  -- For one endpoint alone, whatever it asked to be told of: a test.
  only_endpoint_id uuid,
  primary key (account_id, event_id)
) partition by range (event_id);
create index webhook_event_feed on webhook_event (account_id, feed_position, event_position);
create index webhook_event_of_order on webhook_event (account_id, order_number, feed_position, event_position)
  where order_number is not null;

-- Every attempt, in the partitions of its event. The last one of a delivery that is no longer waiting tells how it ended.
create table webhook_attempt (
  account_id text not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  attempt integer not null check (attempt > 0),
  -- On the account's clock.
  at timestamptz not null,
  -- What it made of the delivery: delivered, failed for good, or to be tried again.
  delivery_status text not null check (delivery_status in ('pending', 'delivered', 'failed')),
  status smallint,
  error text,
  duration_ms integer not null check (duration_ms >= 0),
  -- What was sent where, and the beginning of what came back, which may be anything.
  exchange_sealed bytea,
  exchange_key_id integer generated always as (sealed_key_id(exchange_sealed)) stored references data_key,
  primary key (account_id, event_id, endpoint_id, attempt)
) partition by range (event_id);
create index webhook_attempt_failed on webhook_attempt (account_id, endpoint_id, event_id)
  where delivery_status = 'failed';

-- What no week holds: ids that a wrong clock made, rows brought back from a back-up, and old events that an endpoint still
-- has to get when their week goes.
create table webhook_event_default partition of webhook_event default;
create table webhook_attempt_default partition of webhook_attempt default;

-- Makes the weeks that are missing. A week is filled from the default partition before it is attached, since rows there
-- would be in its way; attaching lets everybody else go on writing.
create function add_webhook_weeks(from_day date, to_day date) returns integer
language plpgsql
as $$
declare
  parent text;
  week date;
  partition text;
  stored text;
  added integer := 0;
begin
  -- Two processes that tidy at once make each week once.
  perform pg_advisory_xact_lock(7205523);
  foreach parent in array array['webhook_event', 'webhook_attempt'] loop
    select string_agg(quote_ident(attname), ', ' order by attnum) into stored
    from pg_attribute
    where attrelid = parent::regclass and attnum > 0 and not attisdropped and attgenerated = '';
    for week in select generate_series(date_trunc('week', from_day::timestamp), to_day, interval '7 days')::date loop
      partition := parent || '_' || to_char(week, 'YYYYMMDD');
      continue when to_regclass(partition) is not null;
      execute format('lock table %I in access exclusive mode', parent || '_default');
      execute format('create table %I (like %I including defaults including generated including constraints)',
        partition, parent);
      execute format(
        'with moved as (delete from %1$I where event_id >= %2$L and event_id < %3$L returning %4$s)
        insert into %5$I (%4$s) select %4$s from moved',
        parent || '_default', event_id_from(week::timestamp at time zone 'UTC'),
        event_id_from((week + 7)::timestamp at time zone 'UTC'), stored, partition);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition,
        event_id_from(week::timestamp at time zone 'UTC'), event_id_from((week + 7)::timestamp at time zone 'UTC'));
      added := added + 1;
    end loop;
  end loop;
  return added;
end
$$;

-- Takes a week of events and attempts out, for `drop_webhook_week` to drop. Nothing goes because it could not be delivered:
-- what an endpoint still has to get moves to the default partition, with its attempts. Tells how many events that were.
create function detach_webhook_week(week date) returns integer
language plpgsql
-- From the few deliveries that wait to their events: everybody else waits for the table meanwhile.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  parent text;
  partition text;
  stored text;
  kept integer;
  kept_events integer := 0;
begin
  -- These rows are no new events: nobody is to be told of them again.
  perform set_config('pestle.copying', 'on', true);
  foreach parent in array array['webhook_event', 'webhook_attempt'] loop
    partition := parent || '_' || to_char(week, 'YYYYMMDD');
    continue when not exists (select from pg_inherits where inhrelid = to_regclass(partition));
    select string_agg('old.' || quote_ident(attname), ', ' order by attnum) into stored
    from pg_attribute
    where attrelid = parent::regclass and attnum > 0 and not attisdropped and attgenerated = '';
    execute format('alter table %I detach partition %I', parent, partition);
    execute format(
      'insert into %1$I (%2$s)
      select %3$s
      from (
        select distinct account_id, event_id
        from webhook_delivery
        where event_id >= %5$L and event_id < %6$L) as waiting
      join %4$I as old on old.account_id = waiting.account_id and old.event_id = waiting.event_id',
      parent, replace(stored, 'old.', ''), stored, partition, event_id_from(week::timestamp at time zone 'UTC'),
      event_id_from((week + 7)::timestamp at time zone 'UTC'));
    get diagnostics kept = row_count;
    kept_events := kept_events + case when parent = 'webhook_event' then kept else 0 end;
  end loop;
  perform set_config('pestle.copying', 'off', true);
  return kept_events;
end
$$;

create function drop_webhook_week(week date) returns void
language plpgsql
as $$
begin
  execute format('drop table if exists %I, %I', 'webhook_event_' || to_char(week, 'YYYYMMDD'),
    'webhook_attempt_' || to_char(week, 'YYYYMMDD'));
end
$$;

select add_webhook_weeks(
  coalesce((select least(min(created_at), now())::date from webhook_event_before), now()::date),
  now()::date + 28);

insert into webhook_event (account_id, event_id, event_type, patient_id, order_number, body, created_at)
select account_id, event_id, event_type, patient_id, order_number, body, created_at
from webhook_event_before
order by created_at, event_id;
drop table webhook_event_before;

-- One delivery for each endpoint that asked to be told, in the transaction of the event, whoever writes it.
create function add_webhook_deliveries() returns trigger
language plpgsql
as $$
begin
  insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, order_number, due_at)
  select e.account_id, e.event_id, p.endpoint_id, e.event_position, e.order_number, e.created_at
  from new_events e
  join webhook_endpoint p on p.account_id = e.account_id and p.status = 'active'
  where case
    when e.only_endpoint_id is not null then p.endpoint_id = e.only_endpoint_id
    when p.events = '{}' then e.event_type <> 'ORDER_UPDATED'
    else e.event_type = any(p.events)
  end;
  return null;
end
$$;
create trigger webhook_event_deliveries after insert on webhook_event
referencing new table as new_events
for each statement
when (coalesce(current_setting('pestle.copying', true), '') <> 'on')
execute function add_webhook_deliveries();
