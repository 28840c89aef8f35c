import type { ExceptionId, Message } from "@pestle/contract";

/** A question that held the order: `still_held` was answered, but the order needs more than an answer. */
export type QuestionState = "unanswered" | "answered" | "still_held" | "ended";

/**
 * The state of each question in a thread, by its message. A question's hold is the open exception of its id that was
 * raised at the time of the question; a later one of the same kind is another hold.
 */
export function questionStates(
  messages: readonly Message[],
  open: readonly { id: ExceptionId; raised_at: string }[],
): ReadonlyMap<string, QuestionState> {
  const answered = new Set(messages.filter(({ author }) => author === "partner").map(({ in_reply_to }) => in_reply_to));
  const states = new Map<string, QuestionState>();
  for (const { message_id, exception_id, created_at } of messages) {
    if (exception_id === null) continue;
    const holds = open.some(
      ({ id, raised_at }) => id === exception_id && Date.parse(raised_at) === Date.parse(created_at),
    );
    if (answered.has(message_id)) states.set(message_id, holds ? "still_held" : "answered");
    else states.set(message_id, holds ? "unanswered" : "ended");
  }
  return states;
}
