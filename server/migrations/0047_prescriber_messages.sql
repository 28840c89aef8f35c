-- Where the pharmacy's messages to the prescribers of a sender go. Without a row, only the sandbox's own prescriber answers.
create table prescriber_route (
  account_id text not null references account,
  -- The sender of the prescriptions, as in the header of its messages.
  sender text not null,
  url text not null,
  version text not null check (version in ('2017071', '2023011')),
  -- Whether the sender also wants a notice of each fill, and the answers to its cancellations as messages.
  sends_fills boolean not null,
  sends_cancels boolean not null,
  signing_secret_sealed bytea not null,
  signing_secret_key_id integer generated always as (sealed_key_id(signing_secret_sealed)) stored references data_key,
  created_at timestamptz not null,
  primary key (account_id, sender)
);

-- Messages from the pharmacy to a prescriber, with the delivery and the answer of each.
create table prescriber_message (
  account_id text not null,
  message_id uuid not null,
  kind text not null check (kind in ('renewal', 'change', 'fill', 'cancel')),
  state text not null check (state in ('queued', 'sent', 'approved', 'denied', 'failed', 'expired')),
  sender text not null,
  -- Null for the answer to a cancellation that names no known prescription.
  prescription_id bigint,
  order_number text,
  -- What a notice of a fill reports, once for each order.
  fill text check (fill in ('dispensed', 'partially_dispensed', 'not_dispensed', 'returned')),
  -- The staff member who asked. Null for a partner's program and for the service itself.
  person_id text,
  created_at timestamptz not null,
  -- When the next attempt is due, on the account's clock. Null if none is.
  due_at timestamptz,
  attempts integer not null default 0,
  claims integer not null default 0,
  claimed_until timestamptz,
  -- Why the last attempt failed.
  error text,
  sent_at timestamptz,
  answered_at timestamptz,
  response text,
  new_prescription_id bigint,
  -- What was asked for. The first attempt writes the message from it and from the records, and every retry repeats it.
  asked_sealed bytea,
  asked_key_id integer generated always as (sealed_key_id(asked_sealed)) stored references data_key,
  body_sealed bytea,
  body_key_id integer generated always as (sealed_key_id(body_sealed)) stored references data_key,
  answer_sealed bytea,
  answer_key_id integer generated always as (sealed_key_id(answer_sealed)) stored references data_key,
  primary key (account_id, message_id),
  foreign key (account_id, prescription_id) references prescription,
  check (asked_sealed is not null or body_sealed is not null),
  check ((kind = 'fill') = (fill is not null))
);

-- At most one open request for renewal of a prescription.
create unique index prescriber_message_open_renewal on prescriber_message (account_id, prescription_id)
where kind = 'renewal' and state in ('queued', 'sent');
create unique index prescriber_message_of_fill on prescriber_message (account_id, order_number, prescription_id, fill)
where kind = 'fill';
create index prescriber_message_due on prescriber_message (account_id, due_at)
where due_at is not null;
create index prescriber_message_open on prescriber_message (account_id, created_at)
where kind in ('renewal', 'change') and state in ('queued', 'sent');
