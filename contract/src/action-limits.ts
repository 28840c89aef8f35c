import type { ActionKey } from "./actions.ts";
import type { ErrorCode } from "./errors.ts";
import { type ExceptionId, exceptionRow } from "./exceptions.ts";
import type { PaymentDecline } from "./payments/payment-declines.ts";

/** Facts about an order or an open exception that take an action away, as the documentation words them. */
export const situations = {
  pharmacist_decides: "only a pharmacist closes the exception",
  schedule_2: "the order has a schedule 2 drug",
  controlled: "the order has a controlled drug",
  other_name: "the order has another patient name than the record",
  no_suggestion: "the address validator has no suggestion",
  last_item: "the order has only one item",
  no_prescription_item: "no item of the order needs or has a prescription",
  payment_pending: "a payment is already pending",
} as const;
export type Situation = keyof typeof situations;
/** What an open exception keeps: situations, why a payment was declined, and where the patient can confirm it. */
export type KnownOfHold = Situation | PaymentDecline | `link ${string}`;

type ActionLimit = {
  readonly action: ActionKey;
  /** `any`: also without an open exception. */
  readonly exceptions: readonly ExceptionId[] | "any";
  readonly situation: Situation;
  /** How the service rejects the action in this situation. */
  readonly code: ErrorCode;
  readonly field: string;
};

/**
 * When an exception does not offer one of its actions. `order_actions` leaves the action out, and the service rejects it
 * with the row's code. The first row that applies decides.
 */
export const actionLimits: readonly ActionLimit[] = [
  // 21 CFR 1306: a partner confirms nothing about a schedule 2 drug, and not the quantity of any controlled drug.
  { action: "verify", exceptions: "any", situation: "schedule_2", code: 42462, field: "event" },
  { action: "verify", exceptions: [72], situation: "controlled", code: 42462, field: "event" },
  // Another name can mean another patient, and the partner's own data cannot settle that.
  { action: "verify", exceptions: [71], situation: "other_name", code: 42462, field: "event" },
  { action: "verify", exceptions: [74, 75], situation: "pharmacist_decides", code: 42462, field: "event" },
  {
    action: "update_address",
    exceptions: [66, 67, 77, 78, 79],
    situation: "controlled",
    code: 42229,
    field: "address",
  },
  { action: "accept_suggested_address", exceptions: [77, 78], situation: "controlled", code: 42229, field: "address" },
  { action: "accept_suggested_address", exceptions: [77, 78], situation: "no_suggestion", code: 42463, field: "event" },
  // Cancel the order instead.
  { action: "remove_item", exceptions: [73, 76], situation: "last_item", code: 42200, field: "item_id" },
  {
    action: "replace_prescription",
    exceptions: [69, 70, 73],
    situation: "no_prescription_item",
    code: 42258,
    field: "prescription_id",
  },
  // A second authorization would leave the first amount held on the card.
  { action: "retry_payment", exceptions: [80], situation: "payment_pending", code: 42463, field: "event" },
];

/** The row that takes an action away in these situations. `id` is null for an action without an exception. */
export const limitOf = (
  action: ActionKey,
  id: ExceptionId | null,
  present: ReadonlySet<KnownOfHold>,
): ActionLimit | undefined =>
  actionLimits.find(
    (row) =>
      row.action === action &&
      (row.exceptions === "any" || (id !== null && row.exceptions.includes(id))) &&
      present.has(row.situation),
  );

/** The actions that an open exception offers in these situations, in display order. */
export const offeredBy = (id: ExceptionId, present: ReadonlySet<KnownOfHold>): ActionKey[] =>
  exceptionRow(id).actions.filter((action) => limitOf(action, id, present) === undefined);
