import type { ExceptionId } from "../exceptions.ts";
import type { QueueKey } from "./dashboard-queues.ts";

/** The figures behind the home page's charts, under `/web/dashboard`. Times are ISO 8601. */

/** The charts go back this many days, today included. */
export const FIGURE_DAYS = 7;
/** A product that sells out within this many days, at the pace of as many past days, runs low. */
export const STOCK_DAYS = 14;

/**
 * GET /dashboard/figures?environment=, for both environments by default. Hours and days are those of the pharmacy's time
 * zone. An account in the sandbox counts by its own clock.
 */
export type DashboardFigures = {
  time_zone: string;
  /** All hours of today. */
  hours: OrderFlow[];
  /** The last days, today included. */
  days: OrderFlow[];
  /** The queues with a target, in workflow order. */
  ageing: QueueAgeing[];
  forecast: LateForecast;
  /** Why orders are on hold, most frequent first. An order can count for several reasons. */
  exceptions: HeldReason[];
  /** Products that run low. The first one runs out first. */
  stock: LowStock[];
};

/** Orders received and shipped from this time on; null in an hour to come. */
export type OrderFlow = { from: string; received: number | null; shipped: number | null };

/** A queue's open orders by their wait: up to half of the target, up to the target, up to twice the target, longer. */
export type QueueAgeing = {
  key: QueueKey;
  target_minutes: number;
  fresh: number;
  due_soon: number;
  late: number;
  very_late: number;
};

/**
 * The open orders that reach their target today if each queue is worked oldest first, at the pace at which the pharmacy
 * shipped in the same hours of the past days. Without orders on hold, which do not wait for that pace.
 */
export type LateForecast = {
  /** Orders that the pharmacy ships from now until midnight at that pace; null if it shipped none in the past days. */
  pace: number | null;
  /** From the current hour to the last one of today: orders that reach their target, by whether they move on before. */
  hours: { from: string; on_time: number; late: number }[];
  /** Late already, in these queues. */
  late_now: number;
  /** More that will be late by midnight. */
  late_later: number;
};

export type HeldReason = { exception_id: ExceptionId; name: string; count: number };

export type LowStock = {
  account_id: string;
  partner: string;
  sku: string;
  name: string;
  /** On hand and not reserved. */
  available_units: number;
  /** Shipped in the last `STOCK_DAYS` days. */
  shipped_units: number;
  /** Ordered, and waiting for a delivery. */
  owed_units: number;
  /** How long the available units last at that pace. */
  days_left: number;
};
