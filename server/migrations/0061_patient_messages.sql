-- By which channels the partner may let the pharmacy tell a patient about orders (ADR 0078). The sealed record has the consent
-- itself; this column lets a job find the patients.
alter table patient add column message_channels text[] not null default '{}'
  check (message_channels <@ '{email,sms}'::text[]);
create index patient_messaging on patient (account_id, patient_key) where message_channels <> '{}';

-- What patients were told about an order: one row for each notice and channel, so that none is sent twice.
create table patient_message (
  account_id text not null,
  order_number text not null,
  notice text not null check (notice in ('order_shipped', 'order_delivered', 'order_delayed')),
  channel text not null check (channel in ('email', 'sms')),
  -- Names the message to the provider, which reports about it.
  message_id uuid not null,
  patient_key bigint not null,
  state text not null check (state in ('queued', 'sending', 'sent', 'delivered', 'failed', 'unknown', 'suppressed')),
  -- Why it was suppressed or failed: a key of a table, or a code of the provider.
  reason text,
  created_at timestamptz not null,
  -- When the next attempt is due, on the account's clock. Null if none is.
  due_at timestamptz,
  attempts integer not null default 0,
  claims integer not null default 0,
  claimed_until timestamptz,
  provider text check (provider in ('smtp', 'twilio', 'simulated')),
  -- The provider's own name of the message.
  provider_id text,
  sent_at timestamptz,
  -- The recipient and the text, as they were handed to the provider.
  content_sealed bytea,
  content_key_id integer generated always as (sealed_key_id(content_sealed)) stored references data_key,
  primary key (account_id, order_number, notice, channel),
  foreign key (account_id, order_number) references orders,
  foreign key (account_id, patient_key) references patient
);
create unique index patient_message_by_id on patient_message (account_id, message_id);
create index patient_message_due on patient_message (account_id, due_at) where due_at is not null;
create index patient_message_of_patient on patient_message (account_id, patient_key, sent_at) where sent_at is not null;

-- What the holders of phone numbers chose by text message. It counts for all accounts: they have the number of the pharmacy, and
-- no partner's. The newest row of a number counts.
create table sms_choice (
  phone_index bytea not null,
  -- The provider's name of the message, so that a repeated one changes nothing.
  provider_id text not null,
  choice_id bigint generated always as identity,
  choice text not null check (choice in ('stop', 'start')),
  at timestamptz not null,
  primary key (phone_index, provider_id)
);

-- Email to staff and to partners' people, until the mail server takes it.
create table letter (
  letter_id uuid primary key,
  created_at timestamptz not null,
  state text not null check (state in ('queued', 'sent', 'failed')),
  due_at timestamptz,
  attempts integer not null default 0,
  claims integer not null default 0,
  claimed_until timestamptz,
  error text,
  -- Recipient, subject and text. Deleted with the row, some days after it was sent.
  content_sealed bytea not null,
  content_key_id integer generated always as (sealed_key_id(content_sealed)) stored references data_key
);
create index letter_due on letter (due_at) where due_at is not null;

-- The service itself can notify staff now.
alter table notification drop constraint notification_kind_check;
alter table notification add constraint notification_kind_check
  check (kind in ('mention', 'assignment', 'answer', 'undelivered', 'parcel'));
alter table notification drop constraint notification_check;
alter table notification add constraint notification_check
  check ((kind in ('answer', 'undelivered', 'parcel')) = (caused_by is null));
