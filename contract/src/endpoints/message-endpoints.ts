import type { ErrorCode } from "../errors.ts";
import { Message, MessageInput, MOST_MESSAGES_PER_AUTHOR } from "../messages.ts";
import { array, nullable, object, string } from "../schema.ts";
import { answer, body, bodyCodes, type Endpoint, idempotencyCodes, paged } from "./endpoint.ts";

/** Errors of a message. */
export const messageCodes: readonly ErrorCode[] = [42281, 42282, 42283];

const question: Message = {
  message_id: "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42",
  author: "pharmacy",
  text: "The prescription is for 30 tablets a month. Did you mean to order 90?",
  created_at: "2026-11-15T09:20:00.000Z",
  in_reply_to: null,
  exception_id: 72,
};
const reply: Message = {
  message_id: "019a8b71-0f3a-7e19-8c42-5b1d9e6a7f30",
  author: "partner",
  text: "Yes, the patient travels for three months.",
  created_at: "2026-11-15T09:30:00.000Z",
  in_reply_to: question.message_id,
  exception_id: null,
};

export const messageEndpoints = [
  {
    operation_id: "listOrderMessages",
    method: "GET",
    path: "/orders/{order_number}/messages",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "List the messages about an order",
    description: "The messages between you and the pharmacy about this order, newest first.",
    query: paged,
    responses: {
      200: answer("A page of messages.", object({ messages: array(Message), next_cursor: nullable(string()) }), {
        messages: [reply, question],
        next_cursor: null,
      }),
    },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "sendOrderMessage",
    method: "POST",
    path: "/orders/{order_number}/messages",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "Send a message about an order",
    description: `Sends a message to the pharmacy, in any status of the order. If \`in_reply_to\` names a question that holds the order, the answer ends that hold: the checks run again, and the order continues where it was. Any other message changes nothing. You can send ${MOST_MESSAGES_PER_AUTHOR} messages about an order.`,
    body: body("application/json", MessageInput, { text: reply.text, in_reply_to: question.message_id }),
    responses: { 201: answer("The message.", Message, reply) },
    codes: [40003, ...bodyCodes, 42200, ...messageCodes, ...idempotencyCodes],
    may_be_missing: true,
    idempotent: true,
  },
] as const satisfies readonly Endpoint[];
