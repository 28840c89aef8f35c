-- Messages between the partner and the pharmacy about an order. Both sides number them together, so that the primary key
-- refuses the second of two messages that were decided on the same thread.
create table order_message (
  account_id text not null,
  order_number text not null,
  message_number integer not null check (message_number > 0),
  message_id uuid not null,
  author text not null check (author in ('partner', 'pharmacy')),
  -- The staff member, or the person in the portal. Null for a program.
  person_id text,
  in_reply_to uuid,
  -- The exception with which a question held the order. Its row in order_exception has the time of the message.
  exception_id integer check (author = 'pharmacy' or exception_id is null),
  created_at timestamptz not null,
  text_sealed bytea not null,
  text_key_id integer generated always as (sealed_key_id(text_sealed)) stored references data_key,
  primary key (account_id, order_number, message_number),
  foreign key (account_id, order_number) references orders
);

-- MESSAGE_RECEIVED is opt-in too.
create or replace function webhook_subscribes(events text[], event_type text) returns boolean
language sql immutable parallel safe
as $$
  select case
    when events = '{}' then event_type not in ('ORDER_UPDATED', 'MESSAGE_RECEIVED')
    else event_type = any(events)
  end
$$;
