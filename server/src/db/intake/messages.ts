import type { Environment } from "@pestle/contract";
import type { ReviewKind } from "../../domain/intake/review-kinds.ts";
import type { RoutingKind } from "../../domain/intake/route-message.ts";
import { callOf } from "../call.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

export type StoredMessage = {
  intake_message_id: number;
  body_hash: Buffer;
  answer: string | null;
  answer_sealed: Buffer | null;
};
/** An account with this receiver id, plus the routing rules that distinguish it from others with the same id. */
export type Receiver = {
  account_id: string;
  environment: Environment;
  workflow: "api_driven" | "automatic";
  clock_offset_s: number;
  routing_rules: { kind: RoutingKind; value: string }[];
};

/** The vault's places for a message and for the answer to it. */
export const messagePlace = (account_id: string, sender: string, sender_message_id: string) =>
  `intake_message.body_sealed ${account_id} ${sender} ${sender_message_id}`;
export const messageAnswerPlace = (account_id: string, sender: string, sender_message_id: string) =>
  `intake_message.answer_sealed ${account_id} ${sender} ${sender_message_id}`;

export type NewMessage = {
  account_id: string;
  format: "script" | "fhir" | "simulation";
  sender: string;
  sender_message_id: string;
  body_hash: Buffer;
  body_sealed: Buffer;
  received_at: Date;
  kind: string | null;
};

/** What `store_message` found. A new message has `new_id`; an earlier one with the same identity has the others. */
type StoreResult = { receivers: Receiver[] } & (
  | { new_id: number; known: null }
  | { new_id: null; known: StoredMessage }
);
type StoredRow = {
  new_id: number | null;
  known_id: number;
  known_hash: Buffer;
  known_answer: string | null;
  known_answer_sealed: Buffer | null;
  receivers: Receiver[] | null;
};

const store = callOf<"store_message", StoredRow>("store_message");
/**
 * Stores a message before processing it, or finds the earlier one with the same identity, and loads the accounts with
 * the receiver's id, all in one call. With `refusal_sealed`, the message is finished at once.
 */
export async function storeMessage(
  db: Queryable,
  message: NewMessage,
  receiver: string | null,
  refusal_sealed: Buffer | null,
): Promise<StoreResult> {
  const row = (await db.row(store, store.values({ ...message, receiver, refusal_sealed })))!;
  const receivers = row.receivers ?? [];
  if (row.new_id !== null) return { new_id: row.new_id, known: null, receivers };
  const known = {
    intake_message_id: row.known_id,
    body_hash: row.known_hash,
    answer: row.known_answer,
    answer_sealed: row.known_answer_sealed,
  };
  return { new_id: null, known, receivers };
}

export const storeMessageText = store.text;

const receivers = sql<[account_id: string, ncpdp_id: string | null], Receiver>`
select a.account_id, a.environment, a.workflow, a.clock_offset_s,
  coalesce((
    select json_agg(json_build_object('kind', r.kind, 'value', r.value))
    from routing_rule r
    where r.account_id = a.account_id), '[]') as routing_rules
from each_account a
where a.ncpdp_id = $2 and a.partner_id is not null
  and a.environment = (select o.environment from account o where o.account_id = $1)
order by a.account_id`;
/** The accounts with a receiver id, in the environment of the operator's account. */
export const listReceivers = (db: Queryable, account_id: string, ncpdp_id: string | null) =>
  db.rows(receivers, [account_id, ncpdp_id]);

const find = sql<[account_id: string, sender: string, sender_message_id: string], StoredMessage>`
select intake_message_id, body_hash, answer, answer_sealed
from intake_message
where account_id = $1 and sender = $2 and sender_message_id = $3`;
export const findMessage = (db: Queryable, account_id: string, sender: string, sender_message_id: string) =>
  db.row(find, [account_id, sender, sender_message_id]);

export type WaitingMessage = {
  intake_message_id: number;
  format: "script" | "fhir" | "simulation";
  sender: string;
  sender_message_id: string;
  receiver: string | null;
  body_hash: Buffer;
  body_sealed: Buffer;
  received_at: Date;
  attempts: number;
};
const waiting = sql<[account_id: string, before: Date, most_attempts: number, most: number], WaitingMessage>`
select intake_message_id, format, sender, sender_message_id, receiver, body_hash, body_sealed, received_at, attempts
from intake_message
where account_id = $1 and state = 'received' and received_at < $2 and attempts < $3
order by received_at
limit $4`;
/** Messages stored but not processed, because the process ended or a step failed. */
export const listWaiting = (db: Queryable, account_id: string, before: Date, most_attempts: number, most: number) =>
  db.rows(waiting, [account_id, before, most_attempts, most]);

// "is true" keeps the planner from searching the index of waiting messages instead of the key.
const again = sql<[account_id: string, intake_message_id: number]>`
update intake_message
set attempts = 0
where account_id = $1 and intake_message_id = $2 and state = 'received'`;
/** Gives a message that failed too often new attempts. Returns 0 if it has been processed. */
export const retryMessage = (tx: Tx, account_id: string, intake_message_id: number) =>
  tx.run(again, [account_id, intake_message_id]);

const failedOnce = sql<[account_id: string, intake_message_id: number], { attempts: number }>`
update intake_message
set attempts = attempts + 1
where account_id = $1 and intake_message_id = $2 and (state = 'received') is true
returning attempts`;
export const noteFailure = (db: Queryable, account_id: string, intake_message_id: number) =>
  db.row(failedOnce, [account_id, intake_message_id]);

const finish = sql<[account_id: string, intake_message_id: number, answer_sealed: Buffer, now: Date]>`
update intake_message
set state = 'processed', outcome = 'accepted', answer_sealed = $3, processed_at = $4
where account_id = $1 and intake_message_id = $2 and (state = 'received') is true`;
/** For a message that was processed under another id. */
export const finishMessage = (
  db: Queryable,
  account_id: string,
  intake_message_id: number,
  answer_sealed: Buffer,
  now: Date,
) => db.run(finish, [account_id, intake_message_id, answer_sealed, now]);

export type KeptMessage = Omit<WaitingMessage, "attempts"> & {
  account_id: string;
  review_kind: ReviewKind;
  resolved_at: Date | null;
};
const ofReview = sql<[review_id: number, account_id: string], KeptMessage>`
select m.account_id, m.intake_message_id, m.format, m.sender, m.sender_message_id, m.receiver, m.body_hash,
  m.body_sealed, m.received_at, v.kind as review_kind, v.resolved_at
from account a
join account o on o.partner_id is null and o.environment = a.environment
join review v on v.account_id = o.account_id and v.review_id = $1
join intake_message m on m.account_id = v.account_id and m.intake_message_id = v.intake_message_id
where a.account_id = $2 and a.partner_id is not null`;
/** The message behind an operator's review entry, in the environment of a partner's account. */
export const findKeptMessage = (db: Queryable, review_id: number, account_id: string) =>
  db.row(ofReview, [review_id, account_id]);

export type MadePrescription = {
  patient_key: number | null;
  id_sealed: Buffer | null;
  prescription_id: number | null;
  acceptance: string | null;
};
const NOTHING_MADE: MadePrescription = { patient_key: null, id_sealed: null, prescription_id: null, acceptance: null };

const madePrescription = sql<[account_id: string, sender: string, sender_message_id: string], MadePrescription>`
select r.patient_key, p.id_sealed, r.prescription_id, r.acceptance
from prescription r
join patient p on p.account_id = r.account_id and p.patient_key = r.patient_key
where r.account_id = $1 and r.sender = $2 and r.sender_message_id = $3`;
/** The prescription that a message made in a partner's account. All fields are null if there is none. */
export const findMadePrescription = async (
  db: Queryable,
  account_id: string,
  sender: string,
  sender_message_id: string,
): Promise<MadePrescription> =>
  (await db.row(madePrescription, [account_id, sender, sender_message_id])) ?? NOTHING_MADE;

export type MadeOfMessage = MadePrescription & {
  outcome: "accepted" | "refused" | "review" | null;
  warnings: string[];
  account_id: string | null;
};
const outcome = sql<
  [account_id: string, sender: string, sender_message_id: string],
  Pick<MadeOfMessage, "outcome" | "warnings" | "account_id">
>`
select outcome, warnings, for_account_id as account_id
from intake_message
where account_id = $1 and sender = $2 and sender_message_id = $3`;
/** Finds the outcome of a message. */
export async function findMade(
  db: Queryable,
  account_id: string,
  sender: string,
  sender_message_id: string,
): Promise<MadeOfMessage | undefined> {
  const message = await db.row(outcome, [account_id, sender, sender_message_id]);
  if (message === undefined) return undefined;
  const { account_id: made_for } = message;
  const made = made_for === null ? NOTHING_MADE : await findMadePrescription(db, made_for, sender, sender_message_id);
  return { ...message, ...made };
}
