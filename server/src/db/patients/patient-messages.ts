import type {
  Environment,
  NoticeChannel,
  NoticeState,
  OrderStatus,
  PatientNotice,
  ShownPatientMessage,
  Suppression,
} from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

/** The vault's place for the recipient and the text of a message to a patient. */
export const patientMessagePlace = (account_id: string, message_id: string) =>
  `patient_message.content_sealed ${account_id} ${message_id}`;

/** An account with patients who agreed to messages, or with messages to send. */
export type MessagingAccount = { account_id: string; environment: Environment; clock_offset_s: number };
const accounts = sql<[account_id: string | null, environment: Environment | null], MessagingAccount>`
select a.account_id, a.environment, a.clock_offset_s
from each_account a
where ($1::text is null or a.account_id = $1) and ($2::text is null or a.environment = $2) and (exists (
  select
  from patient p
  where p.account_id = a.account_id and p.message_channels <> '{}') or exists (
  select
  from patient_message m
  where m.account_id = a.account_id and m.due_at is not null))`;
export const listMessagingAccounts = (
  db: Queryable,
  account_id: string | null = null,
  environment: Environment | null = null,
) => db.rows(accounts, [account_id, environment]);

type Since = { now: Date; since: Date; held_before: Date; held_since: Date; most: number };
const queue = sql<[account_id: string, now: Date, since: Date, held_before: Date, held_since: Date, most: number]>`
with recent as materialized (
  select o.account_id, o.order_number, o.patient_key, o.order_status
  from orders o
  where o.account_id = $1 and o.updated_at >= $3
), held as materialized (
  select o.account_id, o.order_number, o.patient_key
  from orders o
  where o.account_id = $1 and o.order_status = 'On Hold'
), news as (
  select r.account_id, r.order_number, r.patient_key,
    case r.order_status when 'Shipped' then 'order_shipped' else 'order_delivered' end as notice
  from recent r
  cross join lateral (
    select s.shipped_at, s.delivered_at
    from shipment s
    where s.account_id = $1 and s.order_number = r.order_number
    order by s.shipment_id desc
    limit 1) s
  where r.order_status in ('Shipped', 'Delivered')
    and case r.order_status when 'Shipped' then s.shipped_at else s.delivered_at end >= $3
  union all
  select h.account_id, h.order_number, h.patient_key, 'order_delayed'
  from held h
  cross join lateral (
    select e.exception_id
    from order_exception e
    where e.account_id = $1 and e.order_number = h.order_number and e.resolved_at is null
      and e.raised_at <= $4 and e.raised_at > $5
    limit 1) e
)
insert into patient_message (account_id, order_number, notice, channel, message_id, patient_key, state, created_at, due_at)
select n.account_id, n.order_number, n.notice, c.channel, gen_random_uuid(), n.patient_key, 'queued', $2, $2
from news n
cross join lateral (
  select p.message_channels
  from patient p
  where p.account_id = $1 and p.patient_key = n.patient_key
  limit 1) p
cross join unnest(p.message_channels) as c(channel)
where not exists (
  select
  from patient_message m
  where m.account_id = $1 and m.order_number = n.order_number and m.notice = n.notice
    and m.channel = c.channel)
limit $6
on conflict do nothing`;
/** Queues the missing messages to the patients of an account, once for each order, notice and channel. */
export const queuePatientMessages = (db: Queryable, account_id: string, given: Since) =>
  db.run(queue, [account_id, given.now, given.since, given.held_before, given.held_since, given.most]);

export type DuePatientMessage = {
  account_id: string;
  order_number: string;
  notice: PatientNotice;
  channel: NoticeChannel;
  message_id: string;
  patient_key: number;
  /** `sending`: an earlier attempt was handed to the provider, and its answer is unknown. */
  state: "queued" | "sending";
  created_at: Date;
  sent_at: Date | null;
  attempts: number;
  claims: number;
  content_sealed: Buffer | null;
  record_sealed: Buffer;
  order_status: OrderStatus;
  ship_state: string | null;
  tracking_url: string | null;
  sent_in_a_day: number;
};
const claim = sql<[account_id: string, account_now: Date, lease_s: number, most: number], DuePatientMessage>`
with picked as materialized (
  select m.account_id, m.message_id
  from patient_message m
  where m.account_id = $1 and m.due_at <= $2 and (m.claimed_until is null or m.claimed_until < now())
  order by m.due_at
  limit $4
  for update skip locked
), claimed as (
  update patient_message m
  set claims = m.claims + 1, claimed_until = now() + $3::integer * interval '1 second'
  from picked p
  where m.account_id = $1 and m.message_id = p.message_id
  returning m.account_id, m.order_number, m.notice, m.channel, m.message_id, m.patient_key, m.state, m.created_at,
    m.sent_at, m.attempts, m.claims, m.content_sealed
)
select c.account_id, c.order_number, c.notice, c.channel, c.message_id, c.patient_key, c.state, c.created_at, c.sent_at,
  c.attempts, c.claims, c.content_sealed, p.record_sealed, o.order_status, o.ship_state, (
    select s.tracking_url
    from shipment s
    where s.account_id = $1 and s.order_number = c.order_number
    order by s.shipment_id desc
    limit 1) as tracking_url, (
    select count(*)::integer
    from patient_message m
    where m.account_id = $1 and m.patient_key = c.patient_key and m.channel = c.channel
      and m.sent_at > $2::timestamptz - interval '1 day') as sent_in_a_day
from claimed c
cross join lateral (
  select p.record_sealed
  from patient p
  where p.account_id = $1 and p.patient_key = c.patient_key
  limit 1) p
cross join lateral (
  select o.order_status, o.ship_state
  from orders o
  where o.account_id = $1 and o.order_number = c.order_number
  limit 1) o`;
/** Claims due messages for a lease longer than any attempt. Skips rows that another process is claiming. */
export const claimPatientMessages = (
  db: Queryable,
  account_id: string,
  account_now: Date,
  lease_s: number,
  most: number,
) => db.rows(claim, [account_id, account_now, lease_s, most]);

type Claimed = Pick<DuePatientMessage, "account_id" | "message_id" | "claims">;
export type MessageProvider = "smtp" | "twilio" | "simulated";

const begin = sql<
  [
    account_id: string,
    message_id: string,
    claims: number,
    sent_at: Date,
    provider: string,
    content_sealed: Buffer,
    lease_s: number,
  ]
>`
update patient_message
set state = 'sending', sent_at = $4, provider = $5, content_sealed = $6,
  claimed_until = now() + $7::integer * interval '1 second'
where account_id = $1 and message_id = $2 and claims = $3 and state = 'queued'`;
/** Written before the provider is called, so that no later attempt sends it again. Returns 0 if the claim is lost. */
export const beginSending = (
  db: Queryable,
  { account_id, message_id, claims }: Claimed,
  given: { sent_at: Date; provider: MessageProvider; content_sealed: Buffer; lease_s: number },
) =>
  db.run(begin, [account_id, message_id, claims, given.sent_at, given.provider, given.content_sealed, given.lease_s]);

export type MessageEnd = {
  state: NoticeState;
  reason?: Suppression | string | null;
  due_at?: Date | null;
  provider_id?: string | null;
  /** False if there was nothing to try yet. */
  tried?: boolean;
};
const end = sql<
  [
    account_id: string,
    message_id: string,
    claims: number,
    state: string,
    reason: string | null,
    due_at: Date | null,
    provider_id: string | null,
    tries: number,
  ]
>`
update patient_message
set state = $4, reason = $5, due_at = $6, provider_id = coalesce($7, provider_id), claimed_until = null,
  attempts = attempts + $8, sent_at = case when $4 in ('queued', 'suppressed') then null else sent_at end
where account_id = $1 and message_id = $2 and claims = $3 and state in ('queued', 'sending')`;
/** Saves the result of an attempt, unless the claim is lost or the provider's report came first. */
export const endAttempt = (db: Queryable, { account_id, message_id, claims }: Claimed, ended: MessageEnd) =>
  db.run(end, [
    account_id,
    message_id,
    claims,
    ended.state,
    ended.reason ?? null,
    ended.due_at ?? null,
    ended.provider_id ?? null,
    ended.tried === false ? 0 : 1,
  ]);

const report = sql<
  [
    account_id: string,
    message_id: string,
    state: "sent" | "delivered" | "failed",
    reason: string | null,
    provider_id: string,
  ],
  { order_number: string }
>`
update patient_message
set state = $3, reason = $4, provider_id = $5, due_at = null, claimed_until = null
where account_id = $1 and message_id = $2 and (provider_id is null or provider_id = $5)
  and (state in ('sending', 'unknown') or state = 'sent' and $3 in ('delivered', 'failed'))
returning order_number`;
/** What the provider says about a message. A final state stays, so reports can come twice and in any order. */
export const reportPatientMessage = (
  db: Queryable,
  account_id: string,
  message_id: string,
  told: { state: "sent" | "delivered" | "failed"; reason: string | null; provider_id: string },
) => db.row(report, [account_id, message_id, told.state, told.reason, told.provider_id]);

const accountOf = sql<[message_id: string, environment: Environment], { account_id: string }>`
select m.account_id
from each_account a
join patient_message m on m.account_id = a.account_id and m.message_id = $1
where a.environment = $2
limit 1`;
/** The account whose message this is. */
export const findMessageAccount = (db: Queryable, message_id: string, environment: Environment) =>
  db.row(accountOf, [message_id, environment]);

const bounce = sql<[account_id: string, message_id: string, reason: string], { order_number: string }>`
update patient_message
set state = 'failed', reason = $3, due_at = null, claimed_until = null
where account_id = $1 and message_id = $2 and channel = 'email' and state in ('sending', 'sent', 'unknown')
returning order_number`;
/** A mail server took the message and returned it later. */
export const bouncePatientMessage = (db: Queryable, account_id: string, message_id: string, reason: string) =>
  db.row(bounce, [account_id, message_id, reason]);

const leads = sql<[], { person_id: string }>`
select person_id
from person
where partner_id is null and disabled_at is null and role in ('lead', 'admin')
order by person_id
limit 100`;
/** The staff who learn of a message that failed. */
export const listLeads = async (db: Queryable): Promise<string[]> =>
  (await db.rows(leads, [])).map(({ person_id }) => person_id);

export type PatientMessageLine = {
  at: Date;
  notice: PatientNotice;
  channel: NoticeChannel;
  state: NoticeState;
  reason: string | null;
  provider: MessageProvider | null;
};
const lines = sql<[account_id: string, order_number: string], PatientMessageLine>`
select coalesce(sent_at, created_at) as at, notice, channel, state, reason, provider
from patient_message
where account_id = $1 and order_number = $2
order by created_at`;
/** The messages to the patient about an order. */
export const listPatientMessageLines = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(lines, [account_id, order_number]);

export const shownPatientMessage = ({ at, provider, ...message }: PatientMessageLine): ShownPatientMessage => ({
  ...message,
  at: at.toISOString(),
  simulated: provider === "simulated",
});
