import type { ActionKey } from "./actions.ts";
import type { ExceptionId } from "./exceptions.ts";
import type { DrugSchedule, ShipmentStatus } from "./fields.ts";
import type { OrderState, OrderStatus, Stage, TransitionEvent } from "./lifecycle.ts";
import type { Environment } from "./oauth.ts";
import type { AddressInput } from "./requests.ts";
import type { Address, MedicationRequest, Order, OrderException, Patient, Shipment } from "./resources.ts";

/** What the pharmacy's people see and send below `/web/dashboard`. Times are ISO 8601. */

type QueueRow = {
  readonly name: string;
  readonly order_status: OrderStatus;
  readonly stage: Stage | null;
  /** How long an order may stand there before it is late, until the pharmacy sets its own; null: never late. */
  readonly target_minutes: number | null;
  /** Only what came there since midnight, in the pharmacy's time zone. */
  readonly today?: true;
};

/** The tiles of the home page, in the order in which an order goes through them. */
export const queues = {
  clinical_review: {
    name: "Clinical review",
    order_status: "Processing",
    stage: "clinical_review",
    target_minutes: 120,
  },
  fill: { name: "Fill", order_status: "Filling", stage: "fill", target_minutes: 240 },
  product_check: { name: "Product check", order_status: "Filling", stage: "product_check", target_minutes: 120 },
  pack: { name: "Pack and ship", order_status: "Filling", stage: "pack", target_minutes: 120 },
  on_hold: { name: "On hold", order_status: "On Hold", stage: null, target_minutes: 1440 },
  shipped_today: { name: "Shipped today", order_status: "Shipped", stage: null, target_minutes: null, today: true },
} as const satisfies Record<string, QueueRow>;
export type QueueKey = keyof typeof queues;
export const queueKeys = Object.keys(queues) as [QueueKey, ...QueueKey[]];
export const isQueueKey = (key: string): key is QueueKey => Object.hasOwn(queues, key);

/**
 * GET /dashboard/home?environment=, of both where none is given. GET /dashboard/stream?environment= sends the same as
 * events named `home`: at once, and whenever it has become another. `signed_out` is the last event of a session.
 */
export type DashboardHome = { queues: QueueTile[] /** Entries that wait for a person. */; reviews: number };
export type QueueTile = {
  key: QueueKey;
  count: number;
  oldest_at: string | null;
  late: number;
  target_minutes: number | null;
};

/** GET /dashboard/accounts: what filters and forms choose from. */
export type DashboardAccounts = { accounts: DashboardAccount[] };
export type DashboardAccount = {
  account_id: string;
  partner_id: string | null;
  /** Null: the pharmacy's own account, which takes in messages. */
  partner: string | null;
  environment: Environment;
  brands: { id: number; name: string }[];
};

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
/** A password has at least so many. */
export const SHORTEST_PASSWORD = 12;

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

/** GET /dashboard/orders/{account_id}/{order_number}. The view is written down. */
export type DashboardOrder = {
  account_id: string;
  partner: string;
  environment: Environment;
  /** As partners see it, but for who it is for and where it goes: that is revealed on request. */
  order: Omit<Order, "address" | "items" | "medication_requests">;
  state: OrderState;
  held_from: OrderState | null;
  stage_since: string;
  late: boolean;
  revision: number;
  claim: { person_id: string; name: string; until: string; mine: boolean } | null;
  filled_by: { person_id: string; name: string; me: boolean } | null;
  brand: string | null;
  method: { id: number; name: string; carrier: string; service: string; cold_chain: boolean };
  patient: MaskedPatient;
  address: MaskedAddress | null;
  lines: DashboardLine[];
  findings: DashboardFinding[];
  exceptions: DashboardException[];
  shipments: (Shipment & { scans: ShipmentScan[] })[];
  payments: PaymentLine[];
  timeline: TimelineEntry[];
  documents: DashboardDocument[];
  /** The events that this person may send now. */
  can: WorkEvent[];
  /** What the order's state allows and something else does not: a screen shows it and says why. */
  cannot: { event: WorkEvent; key: string; message: string }[];
  /** Exceptions that an operator may raise now. */
  can_raise: ExceptionId[];
};

export type MaskedPatient = { patient_id: string; initials: string; birth_year: string; state: string | null };
export type MaskedAddress = {
  state: string;
  /** Its first three digits. */
  zip: string;
  /** Whether the validator would write it otherwise; what it suggests is shown once revealed. */
  has_suggestion: boolean;
};

/** POST …/reveal, which takes no fields. Written down with who asked. */
export type RevealedOrder = {
  patient: Patient;
  address: Address | null;
  suggestion: Omit<Address, "first_name" | "last_name" | "phone"> | null;
};

/** An item beside the prescription that it fills, as that was received. */
export type DashboardLine = {
  item_id: number;
  sku: string;
  name: string;
  ndc: string | null;
  schedule: DrugSchedule;
  cold_chain: boolean;
  quantity: number;
  package_size: number;
  units: number;
  dispense_id: number;
  lot: string | null;
  lot_expires_on: string | null;
  needs_prescription: boolean;
  prescription: (Omit<MedicationRequest, "medication_dispenses" | "patient_id"> & { refills: number }) | null;
  differences: LineDifference[];
};
/** Where what is dispensed is not what was written. */
export type LineDifference = {
  field: "product" | "ndc" | "units" | "schedule";
  prescribed: string;
  dispensed: string;
  /** Whether somebody should look at it; false where it is the usual course, as another maker's product. */
  notable: boolean;
};

export type DashboardFinding = {
  kind: string;
  severity: string;
  exception_id: ExceptionId | null;
  item_id: number | null;
  message: string;
  source: string;
};

export type DashboardException = OrderException & {
  who_acts: "partner" | "pharmacist" | "pharmacy";
  /** Whether this person may end it; null is yes, else why not. */
  cannot_resolve: string | null;
};

export type ShipmentScan = { at: string; status: ShipmentStatus; place: string | null; description: string };
export type PaymentLine = {
  at: string;
  kind: "authorisation" | "capture" | "void" | "refund";
  state: "asked" | "done";
  amount_cents: number;
  reason: string | null;
  actor: string;
};

/** What happened, by whom, newest first. */
export type TimelineEntry = { at: string; who: string | null; role: string | null } & (
  | {
      kind: "history";
      event: TransitionEvent;
      from: OrderStatus | null;
      to: OrderStatus;
      stage: Stage | null;
      exception_id: ExceptionId | null;
      reason: string | null;
    }
  | { kind: "action"; event: ActionKey; exception_id: ExceptionId | null }
  /** `signature_holds`: false where somebody changed what was signed; null where there was nothing to sign. */
  | { kind: "note"; reason: string; overridden: ExceptionId[]; signature_holds: boolean | null }
  /** An attempt to tell the partner. `status` is the HTTP status that came back, null where none did. */
  | {
      kind: "webhook";
      event_type: string;
      /** The endpoint's host: what follows it may be a secret. */
      url: string;
      attempt: number;
      status: number | null;
      error: string | null;
      outcome: "pending" | "delivered" | "failed";
    }
  | { kind: "view"; action: string }
);

/** GET …/documents/{kind}?item_id=: a file to print. The view is written down. */
export const documentKinds = ["label", "prescription", "leaflet", "slip"] as const;
export type DocumentKind = (typeof documentKinds)[number];
/** Of those that are there now. Labels of prescriptions and leaflets are one for each item. */
export type DashboardDocument = { kind: DocumentKind; item_id: number | null; name: string };

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

/** POST /dashboard/search, with `q`. By patient: first name, last name and date of birth, in any usual order. */
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

/** GET /dashboard/reviews?all=true&environment=. Sentences are fixed: they tell nothing of a patient. */
/** `more`: there are older ones than are told at once. */
export type DashboardReviews = { reviews: DashboardReview[]; more: boolean };
export type DashboardReview = {
  account_id: string;
  partner: string | null;
  environment: Environment;
  review_id: number;
  kind: string;
  says: string;
  reasons: { code: string; sentence: string }[];
  facts: Record<string, unknown>;
  intake_message_id: number | null;
  patient_id: string | null;
  prescription_id: number | null;
  created_at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  outcome: string | null;
  /** How it is closed: `POST …/reviews/{account_id}/{review_id}/{closed_by}`. */
  closed_by: "verdict" | "route" | "resolve";
  /** With `route`: the accounts that it may be for. */
  receivers: { account_id: string; partner: string | null }[];
};
/** POST …/reviews/{account_id}/{review_id}/resolve, …/verdict and …/route; answered with `ReviewClosed`. */
export type ResolveReviewRequest = { outcome: string };
export type VerdictRequest = { verdict: "accepted" | "rejected"; note?: string };
export type RouteReviewRequest = { to_account_id: string };
export type ReviewClosed = { closed: true; order_due_at?: string | null; prescription_id?: number | null };
/** GET …/reviews/{account_id}/{review_id}: what is to be decided on. The view is written down. */
export type DashboardReviewPage = {
  review: DashboardReview;
  prescription: (Omit<MedicationRequest, "medication_dispenses"> & { acceptance: string }) | null;
  /** Whom it is about, and those who may be the same person. */
  patients: (MaskedPatient & { score: number | null })[];
  has_message: boolean;
  can_close: boolean;
};
/** POST …/reviews/{account_id}/{review_id}/reveal, which takes no fields. Written down with who asked. */
export type RevealedReview = { patients: Patient[] };
/** GET …/reviews/{account_id}/{review_id}/message (pharmacist, lead, admin). The view is written down. */
export type RawMessage = {
  intake_message_id: number;
  format: "script" | "fhir" | "simulation";
  sender: string;
  sender_message_id: string;
  receiver: string | null;
  received_at: string;
  warnings: string[];
  text: string;
};
