import type { ExceptionId } from "../exceptions.ts";
import type { ShipmentStatus } from "../fields.ts";
import type { TransitionEvent } from "../lifecycle.ts";
import type { AddressInput } from "../requests.ts";

/** What the pharmacy's people do with orders, one by one or many at once, below `/web/dashboard`. Times are ISO 8601. */

/** What people of the pharmacy can ask of an order: events of the transition table, and what changes no state. */
export const workEvents = [
  "claim",
  "release",
  "approve_review",
  "complete_fill",
  "verify_product",
  "reject_product",
  "ship",
  "track",
  "deliver",
  "raise_exception",
  "resolve",
  "update_address",
  "cancel",
  "refund",
  "note",
] as const satisfies readonly (TransitionEvent | "claim" | "release" | "note")[];
export type WorkEvent = (typeof workEvents)[number];

/** The longest reason or note that somebody writes beside what they do; it may have several lines. */
export const NOTE_CHARACTERS = 500;

/**
 * POST /dashboard/orders/{account_id}/{order_number}/work, answered with the order's page as it is then. `revision` is
 * that of the page that was seen: where it is another by now, the answer is 409 with the key `stale`.
 */
export type WorkRequest = { revision?: number } & (
  | { event: "claim" | "release" | "approve_review" | "ship" | "deliver" }
  | { event: "complete_fill"; items: { item_id: number; lot: string; lot_expires_on: string }[] }
  | { event: "verify_product"; scans: { item_id: number; code: string }[] }
  | { event: "reject_product" | "cancel" | "note"; reason: string }
  | { event: "track"; status: ShipmentStatus; description: string }
  | { event: "raise_exception" | "resolve"; exception_id: ExceptionId; reason: string }
  /** As a partner sends it: `accept_suggested` and `ignore_warnings` settle what the validator doubts. */
  | { event: "update_address"; address: AddressInput }
  /** Without an amount: all that is left of what was captured. */
  | { event: "refund"; reason_id: number; amount_cents?: number }
);

/** POST /dashboard/bulk: the same for each, without items or scans. */
export const bulkEvents = ["claim", "release", "approve_review", "ship", "cancel", "resolve", "note"] as const;
export type BulkEvent = (typeof bulkEvents)[number];
export const MOST_BULK_ORDERS = 200;
export type BulkRequest = {
  event: BulkEvent;
  orders: { account_id: string; order_number: string; revision?: number }[];
  reason?: string;
  exception_id?: ExceptionId;
};
/** One for each that was named, in the same order. */
export type BulkAnswer = { done: number; refused: number; results: BulkResult[] };
export type BulkResult = {
  account_id: string;
  order_number: string;
  done: boolean;
  /** A key of the refusals, where it has one. */
  key: string | null;
  message: string | null;
};
