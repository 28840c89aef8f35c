import type { FillRow } from "../../db/orders/place-order.ts";
import { daysOfUnits } from "../../domain/fulfillment/fill-numbers.ts";
import type { Fill } from "../../domain/orders/order-facts.ts";
import { DRIFT_DAYS } from "../../domain/safety/refill-findings.ts";

/**
 * The history that the safety checks need: a year for refills that come early again and again. No table has a washout that
 * is longer.
 */
export const LONGEST_HISTORY_MS = DRIFT_DAYS * 24 * 3600 * 1000;

export const fillOf = ({ shipped_at, ordered_at, ...fill }: FillRow): Fill => ({
  ...fill,
  ...(ordered_at !== undefined && { ordered_at: new Date(ordered_at) }),
  days_supply: daysOfUnits(fill),
  shipped_at: shipped_at === null ? null : new Date(shipped_at),
});
