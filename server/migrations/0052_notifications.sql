-- What concerns one staff member: a mention, an assignment, a partner's answer (ADR 0067). It names an order, and holds no text.
create table notification (
  account_id text not null,
  person_id text not null,
  notification_id bigint generated always as identity,
  at timestamptz not null,
  kind text not null check (kind in ('mention', 'assignment', 'answer')),
  order_number text not null,
  -- The colleague. Null if the partner caused it.
  caused_by text,
  read_at timestamptz,
  primary key (account_id, person_id, notification_id),
  foreign key (account_id, order_number) references orders,
  check ((kind = 'answer') = (caused_by is null))
);
-- A person's list, over all accounts.
create index notification_of_person on notification (person_id, notification_id);
create index notification_unread on notification (person_id) where read_at is null;
