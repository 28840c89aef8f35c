import type { Environment } from "../endpoints/oauth.ts";
import type { OrderStatus, Stage } from "../lifecycle.ts";

/** Work queues and the home page, under `/web/dashboard`. Times are ISO 8601. */

type QueueRow = {
  readonly name: string;
  readonly order_status: OrderStatus;
  readonly stage: Stage | null;
  /** Default time before an order is late, until the pharmacy sets its own. Null: never late. */
  readonly target_minutes: number | null;
  /** Only orders since midnight in the pharmacy's time zone. */
  readonly today?: true;
};

/** The home page tiles, in workflow order. */
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
 * GET /dashboard/home?environment=, for both environments by default. GET /dashboard/stream?environment= sends the same
 * data as `home` events: immediately and on every change. `signed_out` is the last event of a session.
 */
export type DashboardHome = {
  queues: QueueTile[];
  /** Open reviews. */
  reviews: number;
  /** The user's own unread notifications, of both environments. */
  unread: number;
};
export type QueueTile = {
  key: QueueKey;
  count: number;
  oldest_at: string | null;
  late: number;
  target_minutes: number | null;
};

/** GET /dashboard/accounts: options for filters and forms. */
export type DashboardAccounts = { accounts: DashboardAccount[] };
export type DashboardAccount = {
  account_id: string;
  partner_id: string | null;
  /** Null: the pharmacy's own account, which receives messages. */
  partner: string | null;
  environment: Environment;
  brands: { id: number; name: string }[];
};
