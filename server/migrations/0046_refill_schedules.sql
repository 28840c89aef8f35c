-- Schedules by which the service orders the refills of a prescription (ADR 0062).
create table refill_schedule (
  account_id text not null,
  schedule_id uuid not null,
  -- The place in the list, by time.
  schedule_position bigint not null,
  patient_key bigint not null,
  prescription_id bigint not null,
  status text not null check (status in ('active', 'paused', 'canceled')),
  -- Null: the schedule follows the days' supply of the prescription.
  every_days integer check (every_days > 0),
  lead_days integer not null check (lead_days > 0),
  consent_at timestamptz not null,
  consent_method text not null check (consent_method in ('written', 'electronic', 'verbal')),
  -- Shipping, address and payment of each order.
  request_sealed bytea not null,
  request_key_id integer generated always as (sealed_key_id(request_sealed)) stored references data_key,
  next_fill_on date check ((next_fill_on is null) = (status = 'canceled')),
  -- The fill that REFILL_UPCOMING announced.
  notified_for date,
  next_fill_problems jsonb not null default '[]',
  -- Null if the partner paused it.
  paused_because jsonb check (paused_because is null or status = 'paused'),
  last_order_number text,
  last_filled_on date,
  -- When the job has work to do, by the account's clock.
  due_at timestamptz check ((due_at is not null) = (status = 'active')),
  revision integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, schedule_id),
  foreign key (account_id, prescription_id) references prescription,
  foreign key (account_id, patient_key) references patient,
  foreign key (account_id, last_order_number) references orders
);
create unique index refill_schedule_by_position on refill_schedule (account_id, schedule_position);
create index refill_schedule_by_patient on refill_schedule (account_id, patient_key, schedule_position);
create index refill_schedule_due on refill_schedule (account_id, due_at) where due_at is not null;
-- One schedule orders the fills of a prescription.
create unique index refill_schedule_live on refill_schedule (account_id, prescription_id) where status <> 'canceled';

-- Where a sandbox clock is moving to. It stops on each day on which a schedule has work. If a process ends on the way,
-- the job moves the clock on.
alter table account add column clock_goal_s bigint not null default 0;
alter table account add column clock_moved_at timestamptz;

-- All opt-in events.
create or replace function webhook_subscribes(events text[], event_type text) returns boolean
language sql immutable parallel safe
as $$
  select case
    when events = '{}' then event_type not in ('ORDER_UPDATED', 'MESSAGE_RECEIVED', 'RX_STATUS_CHANGED',
      'PAYMENT_UPDATED', 'PATIENT_UPDATED', 'REFILL_UPCOMING')
    else event_type = any(events)
  end
$$;
