import type { ActionKey } from "../actions.ts";
import type { Environment } from "../endpoints/oauth.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { DrugSchedule } from "../fields.ts";
import type { OrderStatus, Stage } from "../lifecycle.ts";

/** How staff find orders: lists, exceptions, search and recall, under `/web/dashboard`. Times are ISO 8601. */

/**
 * Filters of GET /dashboard/orders and orders.csv, besides `cursor` and `limit` (1 to 200, default 50). Without
 * `queue`, `order_status` and `stage`, they return the orders that are neither shipped nor canceled; with `show=all`, every order. `claimed` is
 * `mine`, `free` or `others`; `messages` is one of `messageFilters`; `waits_for` is one of `heldSides`; `printed` is `yes` or
 * `no`; `sort` is `oldest` (default, longest wait first) or `newest`.
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
  "waits_for",
  "schedule",
  "state",
  "older_than_minutes",
  "claimed",
  "messages",
  "printed",
  "show",
  "sort",
] as const;

/**
 * Orders by their messages. `from_partner`: the partner wrote last, within the last days, so a person has to read it;
 * without a queue, status or stage, it finds orders of every status. `unanswered`: a question of the pharmacy holds the
 * order.
 */
export const messageFilters = ["from_partner", "unanswered"] as const;
export type MessageFilter = (typeof messageFilters)[number];
/** A message of the partner without a reply leaves the list after this time. */
export const PARTNER_MESSAGE_DAYS = 30;

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
  /** The strictest schedule among its items. */
  schedule: DrugSchedule;
  ship_state: string | null;
  brand: string | null;
  method: string;
  reference: string | null;
  created_at: string;
  /** When it entered its current stage. */
  stage_since: string;
  late: boolean;
  claimed_by: string | null;
  claimed_until: string | null;
  /** When the slip and label were last printed, until the carrier has the parcel. */
  printed_at: string | null;
  revision: number;
};

/**
 * Whom an order on hold waits for. `pharmacy`: at least one open exception needs the pharmacy (`who_acts`). `partner`: all
 * of them need the partner.
 */
export const heldSides = ["pharmacy", "partner"] as const;
export type HeldSide = (typeof heldSides)[number];
/** GET /dashboard/held?environment=: the number of orders on hold by whom they wait for. */
export type DashboardHeld = Record<HeldSide, number>;

/** GET /dashboard/exceptions: held orders by exception, longest wait first. An order can be in several groups. */
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
  /** The first few. The order list with `exception_id` has all. */
  orders: DashboardOrderRow[];
};

/** By what the search finds an order or a patient, in the words of the screens. `person`: something that names a patient. */
export const searchFacts = {
  order_number: { name: "order" },
  tracking_no: { name: "tracking number" },
  prescription_id: { name: "prescription" },
  reference: { name: "reference" },
  lot: { name: "lot" },
  product: { name: "product" },
  patient: { name: "patient", person: true },
  phone: { name: "phone number", person: true },
  email: { name: "email address", person: true },
  surname: { name: "last name", person: true },
  birth_date: { name: "date of birth", person: true },
} as const satisfies Record<string, { name: string; person?: true }>;
export const personFacts = (Object.keys(searchFacts) as SearchHit["by"][]).filter((by) => "person" in searchFacts[by]);
/**
 * POST /dashboard/search with `q`. Finds patients by phone number, email address or patient ID, or by last name, first name and
 * date of birth in any order. A last name or a date of birth is enough. `more`: the search did not return or compare all.
 */
export type DashboardSearch = { hits: SearchHit[]; more: boolean };
export type SearchHit = {
  by: keyof typeof searchFacts;
  account_id: string;
  /** The service's own number of the patient, for the patient's page. */
  patient_key: number;
  partner: string;
  environment: Environment;
  /** Null if the prescription has no order yet. */
  order_number: string | null;
  order_status: OrderStatus | null;
  stage: Stage | null;
  patient_initials: string;
  drug_names: string[];
  reference: string | null;
  created_at: string;
  /** For a prescription without an order: its ID and its open review, if any. */
  prescription_id?: number;
  review_id?: number | null;
};

/**
 * GET /dashboard/recall?lot=&sku=&environment=: orders with packages of a lot, shipped or not, and the units of it that the
 * pharmacy has. POST
 * /dashboard/recall/reveal with the same fields also returns contact details (pharmacist, lead, admin). The server
 * audits both. POST /dashboard/recall/quarantine puts the lot
 * in quarantine with `on: true` and ends it with `on: false` (pharmacist, lead, admin).
 */
export type RecallRequest = { lot: string; sku?: string; environment?: Environment };
export type DashboardRecall = { packages: RecallRow[]; shelves: RecallShelf[]; quarantines: Quarantine[] };
/** The units of the lot of one product that the pharmacy has. `filled_units` of those on hand are in orders that have not shipped. */
export type RecallShelf = {
  account_id: string;
  partner: string;
  environment: Environment;
  sku: string;
  name: string;
  expires_on: string;
  on_hand_units: number;
  filled_units: number;
  returned_units: number;
  quarantined: boolean;
};
/** No order is filled, checked or shipped from the lot. An empty `sku` means every product. */
export type Quarantine = { environment: Environment; sku: string; quarantined_at: string; quarantined_by: string };
/** POST /dashboard/recall/notices (pharmacist, lead, admin): a message to the partner of each order, once for each lot. */
export type RecallNoticeRequest = {
  lot: string;
  text: string;
  orders: { account_id: string; order_number: string }[];
};
export const MOST_NOTICES = 50;
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
  /** Null if it has not shipped and can still be stopped. */
  shipped_at: string | null;
  /** When the pharmacy told the partner about this lot. */
  told_at: string | null;
  contact?: { first_name: string; last_name: string; phone: string | null; email: string | null };
};
