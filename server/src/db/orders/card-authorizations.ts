import type { Environment } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

export type AuthorizationState = "asked" | "waiting" | "held" | "charged" | "declined" | "released";
export type CardAuthorization = {
  order_number: string;
  authorization_key: string;
  attempt: number;
  amount_cents: number;
  state: AuthorizationState;
  reference: string | null;
  asked_at: Date;
  expires_at: Date | null;
  captured_cents: number;
  returned_cents: number;
  fee_cents: number | null;
  disputed: boolean;
  moved_at: Date | null;
  tries: number;
  problem: string | null;
};

const remembered = sql<
  [account_id: string, order_number: string, key: string, attempt: number, amount: number, at: Date, check_at: Date],
  CardAuthorization
>`
with asked as (
  insert into card_authorization (account_id, order_number, authorization_key, attempt, amount_cents, state, asked_at,
    next_check_at)
  values ($1, $2, $3, $4, $5, 'asked', $6, $7)
  on conflict do nothing)
select order_number, authorization_key, attempt, amount_cents, state, reference, asked_at, expires_at, captured_cents,
  returned_cents, fee_cents, disputed, moved_at, tries, problem
from card_authorization
where account_id = $1 and order_number = $2
order by asked_at`;
/** Writes down that the service asks for an authorization, and returns those that it asked for before. */
export const rememberAuthorization = (
  db: Queryable,
  account_id: string,
  order_number: string,
  asked: { key: string; attempt: number; amount_cents: number; at: Date; check_at: Date },
) =>
  db.rows(remembered, [
    account_id,
    order_number,
    asked.key,
    asked.attempt,
    asked.amount_cents,
    asked.at,
    asked.check_at,
  ]);

const ofOrder = sql<[account_id: string, order_number: string], CardAuthorization>`
select order_number, authorization_key, attempt, amount_cents, state, reference, asked_at, expires_at, captured_cents,
  returned_cents, fee_cents, disputed, moved_at, tries, problem
from card_authorization
where account_id = $1 and order_number = $2
order by asked_at`;
export const listAuthorizations = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(ofOrder, [account_id, order_number]);

const found = sql<
  [account_id: string, order_number: string, key: string, reference: string, state: string, amount: number, at: Date]
>`
insert into card_authorization (account_id, order_number, authorization_key, attempt, amount_cents, state, reference,
  asked_at, next_check_at)
select o.account_id, o.order_number, $3, 0, $6, $5, $4, $7, $7
from orders o
where o.account_id = $1 and o.order_number = $2
on conflict do nothing`;
/** An authorization that the provider has and we forgot, such as after a restore of an older backup. */
export const addFoundAuthorization = (
  db: Queryable,
  account_id: string,
  order_number: string,
  one: { key: string; reference: string; state: AuthorizationState; amount_cents: number; at: Date },
) => db.run(found, [account_id, order_number, one.key, one.reference, one.state, one.amount_cents, one.at]);

const noted = sql<
  [
    account_id: string,
    order_number: string,
    key: string,
    state: string,
    reference: string | null,
    expires_at: Date | null,
    next_check_at: Date | null,
  ]
>`
update card_authorization
set state = $4, reference = coalesce($5, reference), expires_at = coalesce($6, expires_at), next_check_at = $7, tries = 0,
  problem = null
where account_id = $1 and order_number = $2 and authorization_key = $3`;
/** The provider's answer. */
export const noteAuthorization = (
  db: Queryable,
  account_id: string,
  order_number: string,
  key: string,
  now_is: {
    state: AuthorizationState;
    reference?: string | null;
    expires_at?: Date | null;
    next_check_at: Date | null;
  },
) =>
  db.run(noted, [
    account_id,
    order_number,
    key,
    now_is.state,
    now_is.reference ?? null,
    now_is.expires_at ?? null,
    now_is.next_check_at,
  ]);

type Charge = { captured_cents: number; returned_cents: number; fee_cents: number | null };
const charged = sql<
  [
    account_id: string,
    order_number: string,
    reference: string,
    captured_cents: number,
    returned_cents: number,
    fee_cents: number | null,
    at: Date,
    next_check_at: Date | null,
    state: string,
    account_at: Date,
  ]
>`
with before as (
  select account_id, order_number, authorization_key, fee_cents
  from card_authorization
  where account_id = $1 and order_number = $2 and reference = $3
  for update
), charged as (
  update card_authorization c
  set state = $9, captured_cents = $4, returned_cents = $5, fee_cents = coalesce(c.fee_cents, $6), moved_at = $7,
    next_check_at = $8, tries = 0, problem = null
  from before b
  where c.account_id = $1 and c.order_number = b.order_number and c.authorization_key = b.authorization_key)
insert into payment_entry (account_id, order_number, payment_entry_id, kind, amount_cents, state, actor, at)
select b.account_id, b.order_number, gen_random_uuid(), 'fee', $6::integer, 'done', 'system', $10
from before b
where b.fee_cents is null and $6::integer is not null
returning account_id`;
/** Money moved: what was charged, and what of it went back. The provider's fee becomes an entry of the order, once. */
export const noteCharge = (
  db: Queryable,
  account_id: string,
  order_number: string,
  reference: string,
  { captured_cents, returned_cents, fee_cents }: Charge,
  when: { at: Date; account_at: Date; next_check_at: Date | null; state: "charged" | "released" },
) =>
  db.run(charged, [
    account_id,
    order_number,
    reference,
    captured_cents,
    returned_cents,
    fee_cents,
    when.at,
    when.next_check_at,
    when.state,
    when.account_at,
  ]);

const checkAgain = sql<
  [account_id: string, order_number: string, key: string, problem: string | null, next_check_at: Date | null]
>`
update card_authorization
set tries = case when $4::text is null then 0 else tries + 1 end, problem = $4, next_check_at = $5
where account_id = $1 and order_number = $2 and authorization_key = $3`;
export const noteCheck = (
  db: Queryable,
  account_id: string,
  order_number: string,
  key: string,
  problem: string | null,
  next_check_at: Date | null,
) => db.run(checkAgain, [account_id, order_number, key, problem, next_check_at]);

const disputed = sql<[account_id: string, order_number: string, key: string, at: Date]>`
with told as (
  update card_authorization
  set disputed = true, moved_at = $4
  where account_id = $1 and order_number = $2 and authorization_key = $3 and not disputed
  returning account_id, order_number, captured_cents)
insert into payment_entry (account_id, order_number, payment_entry_id, kind, amount_cents, state, actor, at)
select t.account_id, t.order_number, gen_random_uuid(), 'dispute', t.captured_cents, 'done', 'system', $4
from told t
returning account_id`;
/** The patient disputes the charge at the bank. An entry of the order tells it, once. */
export const noteDispute = (db: Queryable, account_id: string, order_number: string, key: string, at: Date) =>
  db.run(disputed, [account_id, order_number, key, at]);

const dueAccounts = sql<[environment: Environment | null, now: Date], { account_id: string }>`
select a.account_id
from each_account a
where ($1::text is null or a.environment = $1) and exists (
  select
  from card_authorization c
  where c.account_id = a.account_id and c.next_check_at <= $2)`;
export const listAccountsToCheck = (db: Queryable, environment: Environment | null, now: Date) =>
  db.rows(dueAccounts, [environment, now]);

const due = sql<
  [account_id: string, now: Date, most: number],
  Pick<CardAuthorization, "order_number" | "authorization_key">
>`
select order_number, authorization_key
from card_authorization
where account_id = $1 and next_check_at <= $2
order by next_check_at
limit $3`;
/** Authorizations to compare with the provider's record. */
export const listAuthorizationsToCheck = (db: Queryable, account_id: string, now: Date, most: number) =>
  db.rows(due, [account_id, now, most]);

export type StuckPayment = { account_id: string; order_number: string; problem: string };
const stuck = sql<[most: number], StuckPayment>`
select a.account_id, p.order_number, p.problem
from each_account a
join (
  select account_id, order_number, problem
  from card_authorization
  where problem is not null
  union all
  select account_id, order_number, problem
  from payment_entry
  where state = 'asked' and problem is not null) p on p.account_id = a.account_id
order by a.account_id, p.order_number
limit $1`;
/** Payments that the provider refuses to settle, for the people who must look. */
export const listStuckPayments = (db: Queryable, most: number) => db.rows(stuck, [most]);

export type BookedPayment = {
  account_id: string;
  order_number: string;
  reference: string;
  captured_cents: number;
  refunded_cents: number;
  fee_cents: number | null;
};
const bookedIn = sql<[account_id: string, from: Date, to: Date, references: readonly string[]], BookedPayment>`
select c.account_id, c.order_number, c.reference, c.captured_cents, c.fee_cents,
  c.returned_cents + case when c.reference = o.payment_reference then coalesce((
    select sum(p.amount_cents)
    from payment_entry p
    where p.account_id = c.account_id and p.order_number = c.order_number and p.kind = 'refund' and p.state = 'done'), 0)
    else 0 end::integer as refunded_cents
from card_authorization c
join orders o on o.account_id = c.account_id and o.order_number = c.order_number
where c.account_id = $1 and c.reference is not null and (c.moved_at >= $2 and c.moved_at < $3
  or c.reference = any($4) or exists (
    select
    from payment_entry p
    where p.account_id = c.account_id and p.order_number = c.order_number and p.kind in ('capture', 'refund')
      and p.at >= $2 and p.at < $3))
order by c.order_number, c.asked_at`;
/** Our books of every payment that moved in a time, and of those that are named. */
export const listBookedPayments = (
  db: Queryable,
  account_id: string,
  from: Date,
  to: Date,
  references: readonly string[],
) => db.rows(bookedIn, [account_id, from, to, references]);
