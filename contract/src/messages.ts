import type { ActionKey } from "./actions.ts";
import type { ExceptionId } from "./exceptions.ts";
import { closed, named, nullable, object, oneOf, type Static, string, time } from "./schema.ts";

/* Messages between the partner and the pharmacy about one order. */

/** A message is from the partner (its program or a person in the portal) or from the pharmacy. */
export const messageAuthors = ["partner", "pharmacy"] as const;
export type MessageAuthor = (typeof messageAuthors)[number];

export const MESSAGE_MOST_CHARACTERS = 2_000;
/** The most messages of each author about one order. */
export const MOST_MESSAGES_PER_AUTHOR = 100;

type QuestionRow = {
  /** What the pharmacy asks about. */
  readonly about: string;
  /** The action by which the partner confirms the same thing. A limit of the action also limits the answer. */
  readonly confirmed_by: ActionKey;
};

/**
 * The exceptions with which a question of the pharmacy can hold an order: those that the partner's word ends. All others
 * need a correction (an email, a card, a prescription), a date to compare, or a pharmacist, and no answer is that.
 */
export const questionExceptions = {
  68: { about: "a second order for the same drug", confirmed_by: "confirm_not_duplicate" },
  70: { about: "the prescribed product or its substitute", confirmed_by: "verify" },
  72: { about: "the quantity", confirmed_by: "verify" },
  77: { about: "the address", confirmed_by: "confirm_address" },
  78: { about: "the apartment number", confirmed_by: "confirm_address" },
  79: { about: "the name on the label", confirmed_by: "confirm_address" },
} as const satisfies Partial<Record<ExceptionId, QuestionRow>>;
export type QuestionExceptionId = keyof typeof questionExceptions;
export const questionExceptionIds = Object.keys(questionExceptions).map(Number) as [
  QuestionExceptionId,
  ...QuestionExceptionId[],
];

const message_id = string({ format: "uuid", description: "The message." });

export const Message = named(
  "Message",
  object({
    message_id,
    author: oneOf(messageAuthors),
    text: string(`1 to ${MESSAGE_MOST_CHARACTERS} characters. It can have several lines.`),
    created_at: time(),
    in_reply_to: nullable(string({ format: "uuid", description: "The message that this one answers." })),
    exception_id: nullable(
      oneOf(
        questionExceptionIds,
        "The exception with which this question held the order. Null for a message that held nothing.",
      ),
    ),
  }),
);
export type Message = Static<typeof Message>;

export const messageText = string({
  code: 42281,
  kind: "message",
  minLength: 1,
  maxLength: MESSAGE_MOST_CHARACTERS,
  description: "Line breaks and tabs are allowed, other control characters are not.",
});

/** `POST /orders/{order_number}/messages`. */
export const MessageInput = named(
  "MessageInput",
  closed(
    {
      text: messageText,
      in_reply_to: nullable(
        string({
          code: 42282,
          format: "uuid",
          description: "A message about the same order. The answer to a question ends the hold of the question.",
        }),
      ),
    },
    { optional: ["in_reply_to"] },
  ),
);
export type MessageInput = Static<typeof MessageInput>;
