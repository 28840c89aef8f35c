import type { ExceptionId } from "../exceptions.ts";
import type { LabelFormat, ShipmentStatus } from "../fields.ts";
import type { TransitionEvent } from "../lifecycle.ts";
import type { OverrideCode } from "../override-reasons.ts";
import type { AddressInput } from "../requests.ts";

/** Work on orders, single and in bulk, under `/web/dashboard`. Times are ISO 8601. */

/** Events that staff can send: transitions, and events that do not change the state. */
export const workEvents = [
  "claim",
  "assign",
  "release",
  "approve_review",
  "complete_fill",
  "verify_product",
  "reject_product",
  "print",
  "ship",
  "track",
  "deliver",
  "raise_exception",
  "resolve",
  "update_address",
  "cancel",
  "refund",
  "note",
] as const satisfies readonly (TransitionEvent | "claim" | "assign" | "release" | "print" | "note")[];
export type WorkEvent = (typeof workEvents)[number];

/** Maximum length of a reason or note. It can have several lines. */
export const NOTE_CHARACTERS = 500;

/** An item can be filled from this many lots. */
export const MOST_ITEM_LOTS = 10;
export type FilledLot = { lot: string; lot_expires_on: string; units: number };
export type FilledLine = {
  item_id: number;
  lot?: string | null;
  lot_expires_on?: string | null;
  lots?: readonly FilledLot[];
};

/** `data` is base64. */
export type EnteredLabel = { tracking_no: string; label?: { format: LabelFormat; data: string } | null };

/**
 * POST /dashboard/orders/{account_id}/{order_number}/work. Returns the updated order page. `revision` is the one the
 * user saw; if it is outdated, the server returns 409 with key `stale`.
 */
export type WorkRequest = { revision?: number } & (
  | { event: "claim" | "release" | "approve_review" | "deliver" }
  /** Claims the order for a colleague, who is notified. */
  | { event: "assign"; person_id: string }
  /**
   * `print` reserves the label with its tracking number, or notes that it is printed again. `GET /dashboard/print` returns the
   * pages. `ship` is the hand-over to the carrier, and captures the payment. It needs a printed label.
   */
  | { event: "ship" }
  /** `entered`: with CARRIER=manual, the label that the pharmacy's own software made. It replaces an earlier one. */
  | { event: "print"; entered?: EnteredLabel }
  /** A line with `has_lot: false` takes no lot. `lots` instead of `lot`: several, whose units add up to the line's. */
  | { event: "complete_fill"; items: FilledLine[] }
  /** A package of each lot of a line. `lot` is what the person read, if the code has none and the line has several. */
  | { event: "verify_product"; scans: { item_id: number; code: string; lot?: string | null }[] }
  | { event: "reject_product" | "cancel" | "note"; reason: string }
  | { event: "track"; status: ShipmentStatus; description: string }
  | { event: "raise_exception"; exception_id: ExceptionId; reason: string }
  /** `code` is required to override an exception that only a pharmacist can override. */
  | { event: "resolve"; exception_id: ExceptionId; reason: string; code?: OverrideCode | null }
  /** Same as in the partner API: `accept_suggested` and `ignore_warnings` override the validator's doubts. */
  | { event: "update_address"; address: AddressInput }
  /** Without an amount: the full captured amount not yet refunded. */
  | { event: "refund"; reason_id: number; amount_cents?: number }
);

/**
 * POST /dashboard/bulk: the same event for each order, without items or scans. `approve_review` refuses orders with a
 * safety finding, and `resolve` takes only exceptions that do not need a pharmacist.
 */
export const bulkEvents = [
  "claim",
  "assign",
  "release",
  "approve_review",
  "print",
  "ship",
  "raise_exception",
  "cancel",
  "resolve",
  "note",
] as const;
export type BulkEvent = (typeof bulkEvents)[number];
export const MOST_BULK_ORDERS = 200;
export type BulkRequest = {
  event: BulkEvent;
  orders: { account_id: string; order_number: string; revision?: number }[];
  reason?: string;
  exception_id?: ExceptionId;
  /** For `assign`: the colleague. */
  person_id?: string;
};
/** One result per requested order, in the same order. */
export type BulkAnswer = { done: number; refused: number; results: BulkResult[] };
export type BulkResult = {
  account_id: string;
  order_number: string;
  done: boolean;
  /** The error key, if any. */
  key: string | null;
  message: string | null;
};
