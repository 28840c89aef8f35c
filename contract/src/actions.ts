import type { ErrorCode } from "./errors.ts";
import type { OrderStatus } from "./lifecycle.ts";

/** A request field of an action, with the codes that reject a bad value. */
export type ActionField = {
  readonly name: string;
  readonly type: "string" | "integer" | "object";
  readonly required: boolean;
  readonly description: string;
  readonly codes: readonly ErrorCode[];
  /** Set if only some of the exceptions that offer the action take this field. */
  readonly only_exceptions?: readonly number[];
};

type ActionRow = {
  /** Button text. */
  readonly action: string;
  readonly fields: readonly ActionField[];
  /** Statuses in which a partner can send it without an open exception that offers it. */
  readonly order_statuses: readonly OrderStatus[];
};

const reason_id = {
  name: "reason_id",
  type: "integer",
  required: true,
  description: "A refund reason from `GET /order_status_reasons`.",
  codes: [42430],
} as const satisfies ActionField;

/** Actions a partner can request on an order. The key is the value of `event`. */
export const actions = {
  release: { action: "Release the hold", fields: [], order_statuses: [] },
  cancel: { action: "Cancel the order", fields: [], order_statuses: ["Processing", "Filling", "On Hold"] },
  update_email: {
    action: "Update the patient's email",
    fields: [{ name: "email", type: "string", required: true, description: "The new email.", codes: [42201] }],
    order_statuses: [],
  },
  update_address: {
    action: "Update the shipping address",
    fields: [
      {
        name: "address",
        type: "object",
        required: true,
        description: "The new address, as in `POST /orders`.",
        codes: [42221, 42222, 42223, 42225, 42226, 42227, 42228, 42229, 42230, 42231, 42293],
      },
    ],
    order_statuses: [],
  },
  confirm_not_duplicate: { action: "Confirm that this is not a duplicate", fields: [], order_statuses: [] },
  replace_prescription: {
    action: "Fill another prescription instead",
    fields: [
      {
        name: "prescription_id",
        type: "integer",
        required: true,
        description: "The prescription to fill.",
        codes: [42249, 42250, 42255, 42257, 42258],
      },
    ],
    order_statuses: [],
  },
  verify: {
    action: "Verify the data in question",
    fields: [
      {
        name: "dob",
        type: "string",
        required: false,
        description: "The date of birth, `YYYY-MM-DD`. Required for exception 71.",
        codes: [42200],
        only_exceptions: [71],
      },
    ],
    order_statuses: [],
  },
  remove_item: {
    action: "Remove the item from the order",
    fields: [{ name: "item_id", type: "integer", required: true, description: "The item to remove.", codes: [42200] }],
    order_statuses: [],
  },
  accept_suggested_address: { action: "Use the suggested address", fields: [], order_statuses: [] },
  confirm_address: { action: "Confirm the address as it is", fields: [], order_statuses: [] },
  retry_payment: {
    action: "Try the payment again",
    fields: [{ name: "token", type: "string", required: true, description: "A payment token.", codes: [42200] }],
    order_statuses: [],
  },
  hold: { action: "Put the order on hold", fields: [], order_statuses: ["Processing", "Filling"] },
  refund: { action: "Refund the order", fields: [reason_id], order_statuses: ["Shipped", "Delivered"] },
  partial_refund: {
    action: "Refund a part of the order",
    fields: [
      reason_id,
      {
        name: "amount_cents",
        type: "integer",
        required: true,
        description: "The amount, at most the captured amount that has not been refunded yet.",
        codes: [42200, 42463],
      },
    ],
    order_statuses: ["Shipped", "Delivered"],
  },
} as const satisfies Record<string, ActionRow>;

export type ActionKey = keyof typeof actions;
export const actionKeys = Object.keys(actions) as [ActionKey, ...ActionKey[]];
export const isActionKey = (key: string): key is ActionKey => Object.hasOwn(actions, key);

/** `GET /order_status_reasons` returns these. */
export const orderStatusReasons = [
  { id: 101, name: "Damaged", kind: "refund" },
  { id: 102, name: "Lost in Transit", kind: "refund" },
  { id: 103, name: "Wrong Item", kind: "refund" },
  { id: 104, name: "Pharmacy Error", kind: "refund" },
  { id: 105, name: "Patient Request", kind: "refund" },
  { id: 106, name: "Returned to Sender", kind: "refund" },
] as const;

export type OrderStatusReasonId = (typeof orderStatusReasons)[number]["id"];
