-- The calls of payment, carrier and message providers about an order, for its timeline (ADR 0075). No bodies.
create table provider_exchange (
  account_id text not null,
  order_number text not null,
  exchange_id uuid not null,
  at timestamptz not null,
  provider text not null,
  -- Such as `authorize payment`.
  what text not null,
  -- Null without an answer.
  status smallint,
  duration_ms integer not null,
  tries smallint not null,
  error_code text,
  provider_request_id text,
  primary key (account_id, order_number, exchange_id),
  foreign key (account_id, order_number) references orders
);
