import { type Message, messageText, questionExceptionIds } from "../messages.ts";
import { closed, integer, nullable, oneOf, type Static, string } from "../schema.ts";

/** GET /dashboard/orders/{account_id}/{order_number}/messages: all messages, oldest first. The server audits the view. */
export type DashboardMessages = { messages: DashboardMessage[] };
/** With the name of the staff member who wrote it; null for a message of the partner. */
export type DashboardMessage = Message & { written_by: string | null };

/**
 * POST of the same path returns 201 with the message. With an exception, it is a question that holds the order until the
 * partner answers. `revision` is the one the user saw; only a question compares it.
 */
export const StaffMessageInput = closed(
  {
    text: messageText,
    in_reply_to: nullable(string({ code: 42282, format: "uuid" })),
    exception_id: nullable(oneOf(questionExceptionIds)),
    revision: nullable(integer({ minimum: 0 })),
  },
  { optional: ["in_reply_to", "exception_id", "revision"] },
);
export type StaffMessageRequest = Static<typeof StaffMessageInput>;
