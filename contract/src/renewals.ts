import { closed, integer, named, nullable, object, oneOf, type Static, string, time } from "./schema.ts";

/* Requests to the prescriber for a renewal of a prescription. */

/** `queued` and `sent` are open: the prescriber can still answer. */
export const renewalStatuses = ["queued", "sent", "approved", "denied", "failed", "expired"] as const;
export type RenewalStatus = (typeof renewalStatuses)[number];

/** The prescriber's answers, in the terms of the standard. */
export const renewalResponses = [
  "approved",
  "approved_with_changes",
  "replace",
  "validated",
  "denied",
  "denied_new_prescription_to_follow",
] as const;
export type RenewalResponse = (typeof renewalResponses)[number];

/** A request without an answer expires after this time. */
export const RENEWAL_DAYS = 14;
export const RENEWAL_NOTE_MOST_CHARACTERS = 210;

/** What a question about a prescription (RxChangeRequest) asks for, by the codes of the standard. */
export const changeCodes = {
  S: "clarification",
  G: "generic substitution",
  T: "therapeutic substitution",
  OS: "another product, because this one is out of stock",
  P: "prior authorization",
  D: "drug-use evaluation",
} as const;
export type ChangeCode = keyof typeof changeCodes;
export const changeCodeNames = Object.keys(changeCodes) as [ChangeCode, ...ChangeCode[]];
/** The standard's length of the question. */
export const CHANGE_REASON_MOST_CHARACTERS = 260;

export const RenewalRequest = named(
  "RenewalRequest",
  object({
    renewal_request_id: string({ format: "uuid", description: "The request." }),
    prescription_id: integer("The prescription that the request asks to renew."),
    status: oneOf(
      renewalStatuses,
      `\`queued\`: not delivered yet. \`sent\`: the prescriber's network has it. \`failed\`: the network could not be reached or refused it. \`expired\`: no answer within ${RENEWAL_DAYS} days.`,
    ),
    created_at: time(),
    sent_at: nullable(time("When the prescriber's network received it.")),
    answered_at: nullable(time()),
    response: nullable(oneOf(renewalResponses, "What the prescriber answered. Null without an answer.")),
    note: nullable(string("What the prescriber wrote with the answer.")),
    new_prescription_id: nullable(
      integer("The prescription that came with the answer. You also receive `RX_RECEIVED` for it."),
    ),
  }),
);
export type RenewalRequest = Static<typeof RenewalRequest>;

/** `POST /prescriptions/{prescription_id}/renewal_requests`. */
export const RenewalRequestInput = named(
  "RenewalRequestInput",
  closed(
    {
      refills: nullable(
        integer({
          code: 42200,
          minimum: 0,
          maximum: 99,
          description: "The refills to ask for. Without it, as many as the prescription had.",
        }),
      ),
      note: nullable(
        string({
          code: 42200,
          kind: "message",
          minLength: 1,
          maxLength: RENEWAL_NOTE_MOST_CHARACTERS,
          description: "A note to the prescriber.",
        }),
      ),
    },
    { optional: ["refills", "note"] },
  ),
);
export type RenewalRequestInput = Static<typeof RenewalRequestInput>;
