import type { ActionKey } from "../actions.ts";
import type { Environment } from "../endpoints/oauth.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { DrugSchedule } from "../fields.ts";
import type { OrderStatus, Stage } from "../lifecycle.ts";

/** How the pharmacy's people find orders: lists, holds, search and recall, below `/web/dashboard`. Times are ISO 8601. */

/**
 * What GET /dashboard/orders and orders.csv take, beside `cursor` and `limit` (1 to 200, 50 unless given). Without
 * `queue`, `order_status` and `stage`: all that are neither shipped nor canceled. `claimed` is `mine`, `free` or
 * `others`; `sort` is `oldest` (who waits longest comes first, unless told) or `newest`.
 */
export const dashboardOrderFilters = [
  "queue",
  "partner_id",
  "account_id",
  "environment",
  "brand_id",
  "order_status",
  "stage",
  "exception_id",
  "schedule",
  "state",
  "older_than_minutes",
  "claimed",
  "sort",
] as const;
export type DashboardOrderFilter = (typeof dashboardOrderFilters)[number];

/** `next` is the next page's `cursor`. `orders.csv` has the same columns. */
export type DashboardOrders = { orders: DashboardOrderRow[]; next: string | null };
export type DashboardOrderRow = {
  account_id: string;
  partner: string;
  environment: Environment;
  order_number: string;
  order_status: OrderStatus;
  stage: Stage | null;
  exception_ids: ExceptionId[];
  patient_initials: string;
  drug_names: string[];
  /** The strictest among its items. */
  schedule: DrugSchedule;
  ship_state: string | null;
  brand: string | null;
  method: string;
  reference: string | null;
  created_at: string;
  /** Since when it stands where it stands. */
  stage_since: string;
  late: boolean;
  claimed_by: string | null;
  claimed_until: string | null;
  revision: number;
};

/** GET /dashboard/exceptions: held orders by reason, whoever waits longest first. An order can be in several. */
export type DashboardExceptions = { groups: ExceptionGroup[] };
export type ExceptionGroup = {
  exception_id: ExceptionId;
  name: string;
  message: string;
  who_acts: "partner" | "pharmacist" | "pharmacy";
  overridden_by: "operator" | "pharmacist" | "nobody";
  resolves_itself: string | null;
  actions: { event_key: ActionKey; action: string }[];
  count: number;
  oldest_at: string;
  /** The first few; the others are in the table with `exception_id`. */
  orders: DashboardOrderRow[];
};

/** POST /dashboard/search, with `q`. By patient: the partner's id, or first name, last name and date of birth in any usual order. */
export type DashboardSearch = { hits: SearchHit[]; more: boolean };
export type SearchHit = {
  by: "order_number" | "tracking_no" | "patient" | "prescription_id" | "reference";
  account_id: string;
  partner: string;
  environment: Environment;
  /** Null: the prescription has no order yet. */
  order_number: string | null;
  order_status: OrderStatus | null;
  stage: Stage | null;
  patient_initials: string;
  drug_names: string[];
  reference: string | null;
  created_at: string;
  /** Of a prescription without an order: which one, and the open entry that waits for a person, where there is one. */
  prescription_id?: number;
  review_id?: number | null;
};

/**
 * GET /dashboard/recall?lot=&sku=&environment=: who has packages of a lot, or is about to. POST /dashboard/recall/reveal
 * with the same fields also tells how to reach them (pharmacist, lead, admin). Both are written down.
 */
export type RecallRequest = { lot: string; sku?: string; environment?: Environment };
export type DashboardRecall = { packages: RecallRow[] };
export type RecallRow = {
  account_id: string;
  partner: string;
  environment: Environment;
  order_number: string;
  order_status: OrderStatus;
  sku: string;
  name: string;
  lot: string;
  lot_expires_on: string;
  units: number;
  patient_id: string;
  patient_initials: string;
  /** Null: it has not left the house, and can still be stopped. */
  shipped_at: string | null;
  contact?: { first_name: string; last_name: string; phone: string | null; email: string | null };
};
