import {
  limitOf,
  type MessageAuthor,
  MOST_MESSAGES_PER_AUTHOR,
  type QuestionExceptionId,
  questionExceptions,
} from "@pestle/contract";
import type { Problem } from "../values/refusals.ts";
import type { ChangingOrder, Outcome } from "./order-change.ts";
import { situationsOf } from "./situations.ts";

/** The messages about an order so far, and the one that the new message answers. */
export type Thread = {
  last_number: number;
  by_partner: number;
  by_pharmacy: number;
  replied: RepliedMessage | null;
};
/** `exception_id` is null if it is not a question that held the order. */
export type RepliedMessage = { message_id: string; exception_id: QuestionExceptionId | null; created_at: Date };

/** Why an author cannot add this message; empty if it can. */
export function messageProblems(thread: Thread, author: MessageAuthor, in_reply_to: string | null): Problem[] {
  const problems: Problem[] = [];
  if (in_reply_to !== null && thread.replied === null) problems.push({ code: 42282, field: "in_reply_to" });
  const written = author === "partner" ? thread.by_partner : thread.by_pharmacy;
  if (written >= MOST_MESSAGES_PER_AUTHOR) problems.push({ code: 42283, field: "text" });
  return problems;
}

/**
 * What the partner's answer to a question changes: it ends the hold of that question. Null if it changes nothing, because
 * the hold has ended, or because the partner's word cannot end it (a controlled drug, for example).
 */
export function answerOutcome(question: RepliedMessage, changing: ChangingOrder): Outcome | null {
  const { exception_id } = question;
  if (exception_id === null || !holdsBy(question, changing) || !mayBeAnswered(exception_id, changing)) return null;
  return { ends: [exception_id] };
}

/** The exception of the question is open since the question. A later one of the same kind is another hold. */
const holdsBy = ({ exception_id, created_at }: RepliedMessage, { order, holds }: ChangingOrder): boolean =>
  holds.some(({ id, basis }) => id === exception_id && basis === null) &&
  order.exceptions.some(({ id, raised_at }) => id === exception_id && raised_at.getTime() === created_at.getTime());

/** An answer counts as the partner's confirmation, so it has the same limits. */
export const mayBeAnswered = (id: QuestionExceptionId, { order }: Pick<ChangingOrder, "order">): boolean =>
  limitOf(questionExceptions[id].confirmed_by, id, situationsOf(order, id)) === undefined;
