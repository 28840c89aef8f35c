import type { RenewalResponse } from "@pestle/contract";
import type { FillReport } from "../../domain/prescribers/fill-notice.ts";
import type { PharmacyMessageKind } from "../../domain/prescribers/pharmacy-message.ts";
import type { MessageState } from "../../domain/prescribers/prescriber-request.ts";
import type { PrescriberWishes } from "../../domain/prescribers/prescriber-wishes.ts";
import { type Queryable, sql } from "../db.ts";

export const sealedMessageColumns = ["asked_sealed", "body_sealed", "answer_sealed"] as const;
type SealedMessageColumn = (typeof sealedMessageColumns)[number];

/** The vault's places for what was asked, the message itself and the prescriber's answer. */
export const prescriberMessagePlace = (column: SealedMessageColumn, account_id: string, message_id: string) =>
  `prescriber_message.${column} ${account_id} ${message_id}`;

/** The state of a request for the partner and the staff. */
export type RequestRow = {
  message_id: string;
  kind: PharmacyMessageKind;
  state: MessageState;
  prescription_id: number;
  created_at: Date;
  sent_at: Date | null;
  answered_at: Date | null;
  response: RenewalResponse | null;
  new_prescription_id: number | null;
  answer_sealed: Buffer | null;
};
const one = sql<[account_id: string, message_id: string], RequestRow & { patient_key: number; id_sealed: Buffer }>`
select m.message_id, m.kind, m.state, m.prescription_id, m.created_at, m.sent_at, m.answered_at, m.response,
  m.new_prescription_id, m.answer_sealed, r.patient_key, p.id_sealed
from prescriber_message m
join prescription r on r.account_id = m.account_id and r.prescription_id = m.prescription_id
join patient p on p.account_id = r.account_id and p.patient_key = r.patient_key
where m.account_id = $1 and m.message_id = $2`;
export const findRequest = (db: Queryable, account_id: string, message_id: string) =>
  db.row(one, [account_id, message_id]);

const renewals = sql<[account_id: string, prescription_id: number, most: number], RequestRow>`
select m.message_id, m.kind, m.state, m.prescription_id, m.created_at, m.sent_at, m.answered_at, m.response,
  m.new_prescription_id, m.answer_sealed
from prescriber_message m
where m.account_id = $1 and m.prescription_id = $2 and m.kind = 'renewal'
order by m.message_id desc
limit $3`;
/** Newest first: an id begins with the time. */
export const listRenewals = (db: Queryable, account_id: string, prescription_id: number, most: number) =>
  db.rows(renewals, [account_id, prescription_id, most]);

/** What a request to a prescriber depends on. */
export type RequestFacts = {
  sender: string;
  active: boolean;
  drug_schedule: string;
  prohibits_renewal: boolean;
  patient_key: number;
  id_sealed: Buffer;
  environment: "production" | "sandbox";
  clock_offset_s: number;
  has_route: boolean;
  is_filled: boolean;
  has_open_renewal: boolean;
};
const facts = sql<[account_id: string, prescription_id: number], RequestFacts>`
select r.sender, r.active, r.drug_schedule, r.prohibits_renewal, r.patient_key, p.id_sealed, a.environment, a.clock_offset_s,
  exists (
    select
    from prescriber_route t
    where t.account_id = r.account_id and t.sender = r.sender) as has_route,
  exists (
    select
    from order_item i
    where i.account_id = r.account_id and i.patient_key = r.patient_key and i.prescription_id = r.prescription_id
      and i.shipped_at is not null) as is_filled,
  exists (
    select
    from prescriber_message m
    where m.account_id = r.account_id and m.prescription_id = r.prescription_id and m.kind = 'renewal'
      and m.state in ('queued', 'sent')) as has_open_renewal
from prescription r
join patient p on p.account_id = r.account_id and p.patient_key = r.patient_key
join account a on a.account_id = r.account_id
where r.account_id = $1 and r.prescription_id = $2`;
export const loadRequestFacts = (db: Queryable, account_id: string, prescription_id: number) =>
  db.row(facts, [account_id, prescription_id]);

type NewPrescriberMessage = {
  account_id: string;
  message_id: string;
  kind: PharmacyMessageKind;
  sender: string;
  prescription_id: number;
  order_number: string | null;
  person_id: string | null;
  created_at: Date;
  asked_sealed: Buffer;
};
const insert = sql<
  [
    account_id: string,
    message_id: string,
    kind: PharmacyMessageKind,
    sender: string,
    prescription_id: number,
    order_number: string | null,
    person_id: string | null,
    created_at: Date,
    asked_sealed: Buffer,
  ]
>`
insert into prescriber_message (account_id, message_id, kind, state, sender, prescription_id, order_number, person_id,
  created_at, due_at, asked_sealed)
values ($1, $2, $3, 'queued', $4, $5, $6, $7, $8, $8, $9)`;
/** Queues a message. A second open request for renewal violates an index: a conflict, which is decided again. */
export const insertPrescriberMessage = (db: Queryable, row: NewPrescriberMessage) =>
  db.run(insert, [
    row.account_id,
    row.message_id,
    row.kind,
    row.sender,
    row.prescription_id,
    row.order_number,
    row.person_id,
    row.created_at,
    row.asked_sealed,
  ]);

const insertCancel = sql<
  [account_id: string, message_id: string, sender: string, prescription_id: number | null, now: Date, body: Buffer]
>`
insert into prescriber_message (account_id, message_id, kind, state, sender, prescription_id, created_at, due_at,
  body_sealed)
select $1, $2, 'cancel', 'queued', $3, $4, $5, $5, $6
from prescriber_route t
where t.account_id = $1 and t.sender = $3 and t.sends_cancels
on conflict do nothing`;
/** Queues the answer to a cancellation, if the sender's route asks for it. */
export const insertCancelResponse = (
  db: Queryable,
  row: {
    account_id: string;
    message_id: string;
    sender: string;
    prescription_id: number | null;
    now: Date;
    body_sealed: Buffer;
  },
) => db.run(insertCancel, [row.account_id, row.message_id, row.sender, row.prescription_id, row.now, row.body_sealed]);

const wishes = sql<
  [account_id: string, prescription_id: number, prohibits_renewal: boolean, fill_reports: FillReport[] | null]
>`
update prescription
set prohibits_renewal = $3, fill_reports = $4
where account_id = $1 and prescription_id = $2`;
/** Which messages the prescriber of a new prescription wants. */
export const saveWishes = (
  db: Queryable,
  { account_id, prescription_id, prohibits_renewal, fill_reports }: SavedWishes,
) => db.run(wishes, [account_id, prescription_id, prohibits_renewal, fill_reports]);
export type SavedWishes = PrescriberWishes & { account_id: string; prescription_id: number };

/** The request that a response answers, and the message of its prescription. */
export type AnsweredRequest = { message_id: string; kind: PharmacyMessageKind; sender_message_id: string };
const answered = sql<[account_id: string, sender: string, message_id: string], AnsweredRequest>`
select m.message_id, m.kind, r.sender_message_id
from prescriber_message m
join prescription r on r.account_id = m.account_id and r.prescription_id = m.prescription_id
where m.account_id = $1 and m.sender = $2 and m.message_id = $3 and m.kind in ('renewal', 'change')`;
export const findAnswered = (db: Queryable, account_id: string, sender: string, message_id: string) =>
  db.row(answered, [account_id, sender, message_id]);

export type ClosedRequest = {
  account_id: string;
  message_id: string;
  state: "approved" | "denied";
  response: RenewalResponse;
  new_prescription_id: number | null;
  answer_sealed: Buffer;
  answered_at: Date;
};
const close = sql<
  [
    account_id: string,
    message_id: string,
    state: string,
    response: string,
    new_prescription_id: number | null,
    answer_sealed: Buffer,
    answered_at: Date,
  ]
>`
update prescriber_message
set state = $3, response = $4, new_prescription_id = $5, answer_sealed = $6, answered_at = $7,
  sent_at = coalesce(sent_at, $7), due_at = null, claimed_until = null
where account_id = $1 and message_id = $2 and state in ('queued', 'sent', 'failed', 'expired')`;
/** The first final answer counts, also a late one. */
export const closeRequest = (db: Queryable, row: ClosedRequest) =>
  db.run(close, [
    row.account_id,
    row.message_id,
    row.state,
    row.response,
    row.new_prescription_id,
    row.answer_sealed,
    row.answered_at,
  ]);

type ListedMessage = {
  message_id: string;
  kind: PharmacyMessageKind;
  state: MessageState;
  sender: string;
  prescription_id: number | null;
  order_number: string | null;
  fill: FillReport | null;
  created_at: Date;
  sent_at: Date | null;
  answered_at: Date | null;
  attempts: number;
  error: string | null;
  response: RenewalResponse | null;
  new_prescription_id: number | null;
};
const newest = sql<[account_id: string, most: number], ListedMessage>`
select m.message_id, m.kind, m.state, m.sender, m.prescription_id, m.order_number, m.fill, m.created_at, m.sent_at,
  m.answered_at, m.attempts, m.error, m.response, m.new_prescription_id
from prescriber_message m
where m.account_id = $1
order by m.message_id desc
limit $2`;
/** Newest first: an id begins with the time. */
export const listPrescriberMessages = (db: Queryable, account_id: string, most: number) =>
  db.rows(newest, [account_id, most]);
