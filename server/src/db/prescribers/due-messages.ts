import type { Environment } from "@pestle/contract";
import type { PharmacyMessageKind, PharmacyVersion } from "../../domain/prescribers/pharmacy-message.ts";
import type { MessageState } from "../../domain/prescribers/prescriber-request.ts";
import { type Queryable, sql } from "../db.ts";

/** An account with messages to send, or with requests that may have expired. */
export type SendingAccount = { account_id: string; environment: Environment; clock_offset_s: number };
const accounts = sql<[account_id: string | null, environment: Environment | null], SendingAccount>`
select a.account_id, a.environment, a.clock_offset_s
from each_account a
where ($1::text is null or a.account_id = $1) and ($2::text is null or a.environment = $2) and (exists (
  select
  from prescriber_message m
  where m.account_id = a.account_id and m.due_at is not null) or exists (
  select
  from prescriber_message m
  where m.account_id = a.account_id and m.kind in ('renewal', 'change') and m.state in ('queued', 'sent')))`;
export const listSendingAccounts = (
  db: Queryable,
  account_id: string | null = null,
  environment: Environment | null = null,
) => db.rows(accounts, [account_id, environment]);

const expire = sql<[account_id: string, created_before: Date]>`
update prescriber_message
set state = 'expired', due_at = null, claimed_until = null
where account_id = $1 and created_at < $2 and kind in ('renewal', 'change') and state in ('queued', 'sent')`;
/** Ends requests that have no answer. */
export const expireRequests = (db: Queryable, account_id: string, created_before: Date) =>
  db.run(expire, [account_id, created_before]);

export type DueMessage = {
  account_id: string;
  message_id: string;
  kind: PharmacyMessageKind;
  sender: string;
  prescription_id: number | null;
  order_number: string | null;
  created_at: Date;
  attempts: number;
  /** The number of this claim. Its holder may save the result only while no later claim exists. */
  claims: number;
  asked_sealed: Buffer | null;
  body_sealed: Buffer | null;
  /** Null if the sender has no route. */
  url: string | null;
  version: PharmacyVersion | null;
  signing_secret_sealed: Buffer | null;
};
const claim = sql<[account_id: string, account_now: Date, lease_s: number, most: number], DueMessage>`
with picked as materialized (
  select m.account_id, m.message_id
  from prescriber_message m
  where m.account_id = $1 and m.due_at <= $2 and (m.claimed_until is null or m.claimed_until < now())
  order by m.due_at
  limit $4
  for update skip locked
), claimed as (
  update prescriber_message m
  set claims = m.claims + 1, claimed_until = now() + $3::integer * interval '1 second'
  from picked p
  where m.account_id = p.account_id and m.message_id = p.message_id
  returning m.account_id, m.message_id, m.kind, m.sender, m.prescription_id, m.order_number, m.created_at, m.attempts,
    m.claims, m.asked_sealed, m.body_sealed
)
select c.account_id, c.message_id, c.kind, c.sender, c.prescription_id, c.order_number, c.created_at, c.attempts, c.claims,
  c.asked_sealed, c.body_sealed, t.url, t.version, t.signing_secret_sealed
from claimed c
left join prescriber_route t on t.account_id = c.account_id and t.sender = c.sender`;
/** Claims due messages for a lease longer than any attempt. Skips rows that another process is claiming. */
export const claimMessages = (db: Queryable, account_id: string, account_now: Date, lease_s: number, most: number) =>
  db.rows(claim, [account_id, account_now, lease_s, most]);

const keep = sql<[account_id: string, message_id: string, claims: number, body_sealed: Buffer]>`
update prescriber_message
set body_sealed = $4
where account_id = $1 and message_id = $2 and claims = $3 and body_sealed is null`;
/** Keeps the message before its first attempt, so that every retry repeats it. Returns 0 if the claim is lost. */
export const keepMessageBody = (db: Queryable, { account_id, message_id, claims }: DueMessage, body_sealed: Buffer) =>
  db.run(keep, [account_id, message_id, claims, body_sealed]);

type EndedSending = {
  state: Extract<MessageState, "queued" | "sent" | "failed">;
  error: string | null;
  due_at: Date | null;
  sent_at: Date | null;
};
const end = sql<
  [
    account_id: string,
    message_id: string,
    claims: number,
    state: string,
    error: string | null,
    due_at: Date | null,
    sent_at: Date | null,
  ]
>`
update prescriber_message
set state = $4, error = $5, due_at = $6, sent_at = $7, attempts = attempts + 1, claimed_until = null
where account_id = $1 and message_id = $2 and claims = $3 and state = 'queued'`;
/** Saves the result of an attempt, unless the claim is lost or an answer arrived first. */
export const saveSending = (db: Queryable, { account_id, message_id, claims }: DueMessage, ended: EndedSending) =>
  db.run(end, [account_id, message_id, claims, ended.state, ended.error, ended.due_at, ended.sent_at]);

/** What a message says beside the prescription and the patient. */
type MessageFacts = {
  ncpdp_id: string | null;
  patient_key: number;
  sender_message_id: string;
  prescriber_order_number: string | null;
  record_sealed: Buffer;
  details_sealed: Buffer | null;
  /** The last shipped fill. */
  last_fill: { shipped_at: string; units: number; ndc: string | null } | null;
};
const facts = sql<[account_id: string, prescription_id: number], MessageFacts>`
select a.ncpdp_id, r.patient_key, r.sender_message_id, r.prescriber_order_number, p.record_sealed, r.details_sealed, (
    select json_build_object('shipped_at', i.shipped_at, 'units', i.units::float8, 'ndc', i.ndc)
    from order_item i
    where i.account_id = r.account_id and i.prescription_id = r.prescription_id and i.shipped_at is not null
    order by i.shipped_at desc
    limit 1) as last_fill
from prescription r
join patient p on p.account_id = r.account_id and p.patient_key = r.patient_key
join account a on a.account_id = r.account_id
where r.account_id = $1 and r.prescription_id = $2`;
export const loadMessageFacts = (db: Queryable, account_id: string, prescription_id: number) =>
  db.row(facts, [account_id, prescription_id]);
