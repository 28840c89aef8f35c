import type { Message } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { openPartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";
import { NO_ORDER, ORDER, orderPath } from "./orders.ts";

const LONGEST_PAGE = 200;

export const orderMessageCommands: readonly CommandRow[] = [
  {
    name: "orders messages",
    lists: "messages",
    summary: "show the messages between you and the pharmacy about an order, oldest first",
    argument: ORDER,
    options: partnerOptions,
    examples: ["orders messages 7K2M9XQ4TB", "orders messages 7K2M9XQ4TB --json"],
    async run(options: PartnerOptions, order_number, env) {
      const api = await openPartnerApi(options, env);
      const messages: Message[] = [];
      let cursor: string | undefined;
      do {
        const page: { messages: Message[]; next_cursor: string | null } = await api.request(
          "GET",
          `${orderPath(order_number)}/messages`,
          { query: { limit: LONGEST_PAGE, cursor }, missing: NO_ORDER },
        );
        messages.push(...page.messages);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      messages.reverse();
      return {
        data: messages,
        text: messages.length === 0 ? "No messages." : messages.map(messageText).join("\n"),
      };
    },
  },
  {
    name: "orders message",
    summary: "send the pharmacy a message about an order, or answer its question",
    argument: ORDER,
    options: [
      ["--text <text>", "1 to 2,000 characters", { required: true }],
      ["--reply-to <message_id>", "the message to answer; the answer to a question ends its hold"],
      ...partnerOptions,
    ],
    examples: [
      'orders message 7K2M9XQ4TB --text "The patient moved. A new address follows."',
      'orders message 7K2M9XQ4TB --reply-to 019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42 --text "Yes, 90 tablets."',
    ],
    async run({ text, replyTo, ...options }: PartnerOptions & { text: string; replyTo?: string }, order_number, env) {
      const api = await openPartnerApi(options, env);
      const body = { text, ...(replyTo !== undefined && { in_reply_to: replyTo }) };
      const path = `${orderPath(order_number)}/messages` as const;
      const message = await api.request<Message>("POST", path, { body, missing: NO_ORDER });
      return { data: message, text: messageText(message) };
    },
  },
];

const messageText = ({ created_at, author, message_id, text, in_reply_to, exception_id }: Message): string => {
  const asked = exception_id === null ? "" : `  question, holds with ${exception_id}`;
  const answers = in_reply_to === null ? "" : `  answers ${in_reply_to}`;
  return `${created_at}  ${author.padEnd(8)}  ${message_id}${asked}${answers}\n  ${text.replaceAll("\n", "\n  ")}`;
};
