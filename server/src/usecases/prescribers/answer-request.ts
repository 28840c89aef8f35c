import type { Queryable } from "../../db/db.ts";
import {
  type AnsweredRequest,
  type ClosedRequest,
  closeRequest,
  findAnswered,
  insertCancelResponse,
  prescriberMessagePlace,
  type SavedWishes,
  saveWishes,
} from "../../db/prescribers/prescriber-messages.ts";
import type { IntakeDecision } from "../../domain/intake/decide-intake.ts";
import type { IncomingMessage } from "../../domain/intake/incoming-message.ts";
import { closedBy, messageIdOf } from "../../domain/prescribers/prescriber-request.ts";
import { wishesOf } from "../../domain/prescribers/prescriber-wishes.ts";
import type { Vault } from "../../vault/vault.ts";

/** Finds the request that a prescriber's response answers. Any other message costs no statement. */
export async function findAnsweredRequest(
  db: Queryable,
  account_id: string,
  sender: string,
  { envelope, content }: IncomingMessage,
): Promise<AnsweredRequest | undefined> {
  if (content.kind !== "renewal" && content.kind !== "change") return undefined;
  const message_id = messageIdOf(envelope.relates_to_message_id);
  if (message_id === null) return undefined;
  const request = await findAnswered(db, account_id, sender, message_id);
  return request?.kind === content.kind ? request : undefined;
}

/** The same message as a response to the prescription that the request was about. */
export const aboutPrescription = (
  message: IncomingMessage,
  { sender_message_id }: AnsweredRequest,
): IncomingMessage => ({
  ...message,
  envelope: { ...message.envelope, relates_to_message_id: sender_message_id },
});

/** What else is saved with a message: the request that it closes, and the answer that a network wants as a message. */
export type PrescriberChanges = {
  closed: ClosedRequest | null;
  cancel: CancelResponse | null;
  /** Null if the prescriber of the new prescription wants all messages. */
  wishes: SavedWishes | null;
};
type CancelResponse = Parameters<typeof insertCancelResponse>[1];

export function prescriberChanges(
  { vault }: { vault: Vault },
  message: IncomingMessage,
  decision: IntakeDecision,
  made: {
    account_id: string;
    sender: string;
    request: AnsweredRequest | undefined;
    prescription_id: number | null;
    answer: { format: string; message_id: string; text: string };
    now: Date;
  },
): PrescriberChanges {
  const { account_id, sender, request, prescription_id, answer, now } = made;
  const { content } = message;
  const written = "prescription" in content && prescription_id !== null ? content.prescription : null;
  const wanted = written && wishesOf(written);
  const wishes = wanted && { ...wanted, account_id, prescription_id: prescription_id! };
  const none = { closed: null, cancel: null, wishes };
  if (content.kind === "cancel" && answer.format === "script") {
    const message_id = messageIdOf(answer.message_id)!;
    const place = prescriberMessagePlace("body_sealed", account_id, message_id);
    const body_sealed = vault.seal(Buffer.from(answer.text), place);
    const ended = decision.ended[0]?.prescription_id ?? null;
    return { ...none, cancel: { account_id, message_id, sender, prescription_id: ended, now, body_sealed } };
  }
  if (request === undefined || (content.kind !== "renewal" && content.kind !== "change")) return none;
  const end = decision.outcome === "refused" ? null : closedBy(content.response);
  if (end === null) return none;
  const place = prescriberMessagePlace("answer_sealed", account_id, request.message_id);
  const { reason_codes, note } = content;
  return {
    ...none,
    closed: {
      account_id,
      message_id: request.message_id,
      ...end,
      new_prescription_id: prescription_id,
      answer_sealed: vault.seal(Buffer.from(JSON.stringify({ reason_codes, note })), place),
      answered_at: now,
    },
  };
}

export const isEmpty = ({ closed, cancel, wishes }: PrescriberChanges): boolean =>
  closed === null && cancel === null && wishes === null;

export async function savePrescriberChanges(
  db: Queryable,
  { closed, cancel, wishes }: PrescriberChanges,
): Promise<void> {
  if (wishes !== null) await saveWishes(db, wishes);
  if (closed !== null) await closeRequest(db, closed);
  if (cancel !== null) await insertCancelResponse(db, cancel);
}
