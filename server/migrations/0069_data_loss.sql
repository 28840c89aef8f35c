-- What a failover or a restore lost (ADR 0093).

-- The history that the database is on: PostgreSQL starts a new timeline at each promotion and at each restore to a moment.
create table database_run (
  singleton boolean primary key default true check (singleton),
  -- PostgreSQL gives it to a data folder, its replicas and its physical backups. Timelines count within it.
  system_id text not null,
  timeline bigint not null,
  -- Whether each commit waited for a second server, when a process last looked.
  synchronous boolean not null,
  -- Where a restore had to stop; empty without one. The setting stays after the restore.
  recovery_target text not null,
  seen_at timestamptz not null
);

-- A time whose last writes may be missing, although the service acknowledged them.
create table data_loss (
  loss_id bigint generated always as identity primary key,
  system_id text not null,
  timeline bigint not null,
  noticed_at timestamptz not null,
  -- The last transaction that the new history has, and when a process noticed.
  lost_from timestamptz not null,
  lost_until timestamptz not null,
  -- How much of the database's log is missing at least. Null if no process knows of any that is.
  lost_bytes bigint,
  -- The end of the time that the partners' feeds name.
  told_until timestamptz,
  closed_at timestamptz,
  unique (system_id, timeline)
);

-- All opt-in events.
create or replace function webhook_subscribes(events text[], event_type text) returns boolean
language sql immutable parallel safe
as $$
  select case
    when events = '{}' then event_type not in ('ORDER_UPDATED', 'MESSAGE_RECEIVED', 'RX_STATUS_CHANGED',
      'PAYMENT_UPDATED', 'PATIENT_UPDATED', 'REFILL_UPCOMING', 'DATA_LOST')
    else event_type = any(events)
  end
$$;
