/** A text message. `to` has ten digits. */
type TextMessage = {
  to: string;
  text: string;
  /** Where the provider reports its state. */
  report_to: string;
  about: { account_id: string; order_number: string };
};

export type SmsAnswer =
  | { kind: "sent"; provider_id: string }
  /** The provider will not send it. `code` is the provider's own. */
  | { kind: "refused"; code: string; opted_out: boolean }
  /** It certainly was not sent, and a later attempt can be. */
  | { kind: "not_sent"; code: string }
  /** It may have been sent. */
  | { kind: "lost"; code: string };

/** Sends text messages. Only `check` throws because of the provider. */
export type Sms = {
  provider: "twilio" | "simulated";
  send(message: TextMessage): Promise<SmsAnswer>;
  /** The provider's id of a message that was sent from this time on; null if it knows none, undefined without an answer. */
  find(message: Pick<TextMessage, "to" | "text">, since: Date): Promise<string | null | undefined>;
  /** Whether the key works: one line for the operator. Throws what is wrong. */
  check(): Promise<string>;
  /** Whether the provider itself made this call of one of our addresses. */
  signed(call: { url: string; form: URLSearchParams; signature: string }): boolean;
  close(): Promise<void>;
};

/** Sends nothing. A message counts as delivered, so that partners see in the sandbox what a patient would get. */
export const simulatedSms: Sms = {
  provider: "simulated",
  send: async () => ({ kind: "sent", provider_id: "simulated" }),
  find: async () => null,
  check: async () => "Text messages are simulated. No one receives them.",
  signed: () => false,
  close: async () => {},
};
