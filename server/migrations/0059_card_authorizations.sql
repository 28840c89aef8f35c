-- An authorization that the service asks of a payment provider which keeps books of its own (ADR 0076). The row exists
-- before the call, so that an authorization whose answer got lost can be found and released. Times are real, not the
-- account's clock.
create table card_authorization (
  account_id text not null,
  order_number text not null,
  -- The idempotency key of the call: order, attempt and amount.
  authorization_key text not null,
  attempt integer not null,
  amount_cents integer not null check (amount_cents >= 0),
  -- `waiting`: the patient has to confirm the payment. `charged`: money moved; `released`: none stays.
  state text not null check (state in ('asked', 'waiting', 'held', 'charged', 'declined', 'released')),
  -- The provider's id.
  reference text,
  asked_at timestamptz not null,
  -- When the bank lets the authorization go.
  expires_at timestamptz,
  captured_cents integer not null default 0 check (captured_cents >= 0),
  -- Of the captured amount, what went back because it paid for no shipped order.
  returned_cents integer not null default 0 check (returned_cents >= 0),
  fee_cents integer,
  disputed boolean not null default false,
  -- When money last moved.
  moved_at timestamptz,
  -- When a job compares it with the provider's record; null for never again.
  next_check_at timestamptz,
  tries integer not null default 0,
  -- Why the provider or a comparison could not settle it, for a person.
  problem text,
  primary key (account_id, order_number, authorization_key),
  foreign key (account_id, order_number) references orders
);
create index card_authorization_due on card_authorization (account_id, next_check_at) where next_check_at is not null;
create index card_authorization_moved on card_authorization (account_id, moved_at) where moved_at is not null;
create index card_authorization_problem on card_authorization (account_id) where problem is not null;

-- Voids and refunds that a provider refuses are tried again ever later, and a person sees the reason.
alter table payment_entry
  add column tries integer not null default 0,
  add column next_try_at timestamptz,
  add column problem text;

-- The provider's fee, and a charge that the patient disputes at the bank.
create or replace function payment_entry_fits(kind text, state text, amount_cents integer, reason_id integer)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return kind in ('authorisation', 'capture', 'void', 'refund', 'fee', 'dispute')
    and state in ('asked', 'done')
    and amount_cents >= 0
    and (kind = 'refund') = (reason_id is not null);
end
$$;
