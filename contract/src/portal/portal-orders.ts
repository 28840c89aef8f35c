import type { ActionKey } from "../actions.ts";
import type { ContinuityEntry } from "../continuity.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { OrderStatus } from "../lifecycle.ts";
import type { Message } from "../messages.ts";
import type { ShownPatientMessage } from "../practice/patient-notices.ts";
import type { RenewalRequest } from "../renewals.ts";
import type { ActionRequest, Address, HistoryEntry, Order } from "../resources.ts";

/** `GET …/orders` with the filters of the API's `GET /orders`. */
export type PortalOrders = { orders: PortalOrderRow[]; next_cursor: string | null };
/** Rows have no names, addresses or medications. */
export type PortalOrderRow = {
  order_number: string;
  order_status: OrderStatus;
  patient_id: string;
  reference: string | null;
  brand_id: number | null;
  exceptions: { id: ExceptionId; name: string; raised_at: string }[];
  items: number;
  tracking_no: string | null;
  created_at: string;
  updated_at: string;
};
/** `GET …/orders/{order_number}`: the server audits the view. */
export type PortalOrder = {
  order: Order;
  history: HistoryEntry[];
  action_requests: Omit<ActionRequest, "order" | "order_number">[];
  /** Available actions, in display order. */
  actions: PortalOrderAction[];
  /** The address check's suggestion for an address that holds the order, or null. */
  suggested_address: Omit<Address, "first_name" | "last_name" | "phone"> | null;
  /** What the pharmacy wrote to the patient about the order, oldest first. */
  patient_messages: ShownPatientMessage[];
};
export type PortalOrderAction = {
  event_key: ActionKey;
  action: string;
  fields: { name: string; type: "string" | "integer" | "object"; required: boolean; description: string }[];
  /** The open exceptions that offer it. */
  exception_ids: ExceptionId[];
};
// `POST …/orders/{order_number}/actions` takes the API's action request body and returns 201 with an `ActionRequest`.

/** `GET …/orders/{order_number}/messages`: all messages, oldest first. The server audits the view. */
export type PortalMessages = { messages: Message[] };
// `POST` of the same path takes the API's message and returns 201 with it.

/**
 * `GET …/prescriptions/{prescription_id}/renewal_requests`: the newest requests for renewal, newest first. The server
 * audits the view.
 */
export type PortalRenewals = {
  renewal_requests: RenewalRequest[];
  /** Why the API would refuse a request now; empty if it would not. */
  problems: { code: number; message: string }[];
};
// `POST` of the same path takes the API's body and returns 201 with the `RenewalRequest`.

/** `GET …/continuity`: the same as the API's. The server audits the view. */
export type PortalContinuity = { continuity: ContinuityEntry[]; next_cursor: string | null };

/** `GET …/exceptions`: open exceptions, those that need the partner first. */
export type PortalExceptions = { groups: PortalExceptionGroup[] };
export type PortalExceptionGroup = {
  exception_id: ExceptionId;
  name: string;
  message: string;
  who_acts: "partner" | "pharmacist" | "pharmacy";
  actions: { event_key: ActionKey; action: string }[];
  count: number;
  oldest_at: string;
  /** The oldest few. */
  order_numbers: string[];
};
