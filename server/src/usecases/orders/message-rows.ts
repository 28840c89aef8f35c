import { compactAsciiJson, type Message, type MessageAuthor, type QuestionExceptionId } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import {
  insertMessage,
  insertToldMessage,
  loadThread,
  type MessageRow,
  orderMessagePlace,
} from "../../db/orders/order-messages.ts";
import type { Deps } from "../../deps.ts";
import type { Thread } from "../../domain/orders/decide-message.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { randomEventId } from "../../random.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { sealBody } from "../webhooks/event-body.ts";

type OrderKey = { account_id: string; order_number: string };
export type OpenedThread = OrderKey & { thread: Thread; patient_id: string; now: Date };

/** Loads what a new message depends on. Returns 404 for an unknown order or another account's order. */
export async function openThread(
  deps: Pick<Deps, "vault" | "now">,
  db: Queryable,
  { account_id, order_number }: OrderKey,
  in_reply_to: string | null,
): Promise<OpenedThread> {
  const row = await loadThread(db, account_id, order_number, in_reply_to);
  if (row === undefined) throw new StatusRefusal(404);
  const { last_number, by_partner, by_pharmacy, replied, clock_offset_s } = row;
  return {
    account_id,
    order_number,
    thread: {
      last_number,
      by_partner,
      by_pharmacy,
      replied: replied && { ...replied, created_at: new Date(replied.created_at) },
    },
    patient_id: openPatientId(deps, account_id, row),
    now: accountNow(deps.now(), clock_offset_s),
  };
}

type NewMessage = {
  author: MessageAuthor;
  person_id: string | null;
  text: string;
  in_reply_to: string | null;
  /** For a question that holds the order. */
  exception_id: QuestionExceptionId | null;
  created_at: Date;
};

/** Saves a message after the last one of the thread. A message of the pharmacy sends its event with it. */
export async function saveMessage(
  deps: Pick<Deps, "vault">,
  db: Queryable,
  { account_id, order_number, thread, patient_id }: OpenedThread,
  { text, ...message }: NewMessage,
): Promise<Message> {
  const message_id = randomEventId();
  const message_number = thread.last_number + 1;
  const place = orderMessagePlace(account_id, order_number, message_number);
  const text_sealed = deps.vault.seal(Buffer.from(text), place);
  const row = { account_id, order_number, message_number, message_id, ...message, text_sealed };
  if (message.author === "partner") await insertMessage(db, row);
  else {
    const event_id = randomEventId();
    const body = compactAsciiJson({
      event_id,
      event_type: "MESSAGE_RECEIVED",
      patient_id,
      order_number,
      message_id,
      timestamp: Math.floor(message.created_at.getTime() / 1000),
    });
    await insertToldMessage(db, row, { event_id, body_sealed: sealBody(deps.vault, { account_id, event_id }, body) });
  }
  return messageAnswer(row, text);
}

export const messageAnswer = (row: Omit<MessageRow, "text_sealed">, text: string): Message => ({
  message_id: row.message_id,
  author: row.author,
  text,
  created_at: row.created_at.toISOString(),
  in_reply_to: row.in_reply_to,
  exception_id: row.exception_id,
});
