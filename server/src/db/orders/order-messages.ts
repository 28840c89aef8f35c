import type { MessageAuthor, QuestionExceptionId } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

/** The vault's place for the text of a message. */
export const orderMessagePlace = (account_id: string, order_number: string, message_number: number) =>
  `order_message.text_sealed ${account_id} ${order_number} ${message_number}`;

export type MessageRow = {
  message_number: number;
  message_id: string;
  author: MessageAuthor;
  person_id: string | null;
  in_reply_to: string | null;
  exception_id: QuestionExceptionId | null;
  created_at: Date;
  text_sealed: Buffer;
};

/** What a new message depends on: the thread so far, the message that it answers, and the order's patient and clock. */
type ThreadRow = {
  patient_key: number;
  id_sealed: Buffer;
  clock_offset_s: number;
  last_number: number;
  by_partner: number;
  by_pharmacy: number;
  /** Null without an answered message, and if the order has no such message. */
  replied: (Pick<MessageRow, "message_id" | "exception_id"> & { created_at: string }) | null;
};
/** No message has it. A comparison with null leaves no table from which Citus derives the server. */
const NO_MESSAGE = "00000000-0000-0000-0000-000000000000";
const thread = sql<[account_id: string, order_number: string, in_reply_to: string], ThreadRow>`
select o.patient_key, p.id_sealed, a.clock_offset_s, t.last_number, t.by_partner, t.by_pharmacy,
  (
    select json_build_object('message_id', m.message_id, 'exception_id', m.exception_id, 'created_at', m.created_at)
    from order_message m
    where m.account_id = o.account_id and m.order_number = o.order_number and m.message_id = $3) as replied
from orders o
join patient p on p.account_id = o.account_id and p.patient_key = o.patient_key
join account a on a.account_id = o.account_id
cross join lateral (
  select coalesce(max(m.message_number), 0) as last_number,
    (count(*) filter (where m.author = 'partner'))::integer as by_partner,
    (count(*) filter (where m.author = 'pharmacy'))::integer as by_pharmacy
  from order_message m
  where m.account_id = o.account_id and m.order_number = o.order_number) t
where o.account_id = $1 and o.order_number = $2`;
export const loadThread = (db: Queryable, account_id: string, order_number: string, in_reply_to: string | null) =>
  db.row(thread, [account_id, order_number, in_reply_to ?? NO_MESSAGE]);

type NewMessage = MessageRow & { account_id: string; order_number: string };
type MessageValues = [
  account_id: string,
  order_number: string,
  message_number: number,
  message_id: string,
  author: MessageAuthor,
  person_id: string | null,
  in_reply_to: string | null,
  exception_id: number | null,
  created_at: Date,
  text_sealed: Buffer,
];
const insert = sql<MessageValues>`
insert into order_message (account_id, order_number, message_number, message_id, author, person_id, in_reply_to,
  exception_id, created_at, text_sealed)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
/** A message of the partner. If another message took its number first, it violates the primary key: a conflict. */
export const insertMessage = (db: Queryable, row: NewMessage) => db.run(insert, valuesOf(row));

const insertTold = sql<[...values: MessageValues, event_id: string, body_sealed: Buffer]>`
with said as (
  insert into order_message (account_id, order_number, message_number, message_id, author, person_id, in_reply_to,
    exception_id, created_at, text_sealed)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
)
insert into webhook_event (account_id, event_id, event_type, order_number, body_sealed, created_at)
values ($1, $11, 'MESSAGE_RECEIVED', $2, $12, $9)`;
/** The same for a message of the pharmacy, with the event that tells the partner. */
export const insertToldMessage = (db: Queryable, row: NewMessage, event: { event_id: string; body_sealed: Buffer }) =>
  db.run(insertTold, [...valuesOf(row), event.event_id, event.body_sealed]);

const valuesOf = (row: NewMessage): MessageValues => [
  row.account_id,
  row.order_number,
  row.message_number,
  row.message_id,
  row.author,
  row.person_id,
  row.in_reply_to,
  row.exception_id,
  row.created_at,
  row.text_sealed,
];

const list = sql<[account_id: string, order_number: string, before: number, limit: number], MessageRow>`
select m.message_number, m.message_id, m.author, m.person_id, m.in_reply_to, m.exception_id, m.created_at, m.text_sealed
from order_message m
where m.account_id = $1 and m.order_number = $2 and m.message_number < $3::bigint
order by m.message_number desc
limit $4`;
/** Newest first, before a number. */
export const listMessages = (db: Queryable, account_id: string, order_number: string, before: number, limit: number) =>
  db.rows(list, [account_id, order_number, before, limit]);
