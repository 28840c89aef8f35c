import type { FillRow } from "../../db/orders/place-order.ts";
import type { Fill } from "../../domain/orders/order-facts.ts";

/** A medicine may act for longer than it was taken; no table of the safety engine asks for more. */
export const LONGEST_WASHOUT_MS = 60 * 24 * 3600 * 1000;

export const fillOf = ({ shipped_at, ...fill }: FillRow): Fill => ({
  ...fill,
  shipped_at: shipped_at === null ? null : new Date(shipped_at),
});
