/** A quote's price is the most that the order costs for this time. */
export const QUOTE_MS = 15 * 60_000;

/** A process that has not read the new price yet can still quote the old one. */
const LATE_QUOTE_MS = 60_000;

/** What an order still pays after a price change: null if the price never changed. */
export type HeldPrice = { held_price_cents: number | null; held_until: string | null };

/** Until when a price that changes now stays the most that an order pays. */
export const heldUntil = (now: Date): Date => new Date(now.getTime() + QUOTE_MS + LATE_QUOTE_MS);

type Priced = { price_cents: number } & Partial<HeldPrice>;

/** The rows with the prices that an order pays at that time, and the time at which one of them ends. */
export function pricesAt<Row extends Priced>(rows: readonly Row[], now: Date): { rows: readonly Row[]; until: number } {
  let until = Number.POSITIVE_INFINITY;
  const priced = rows.map((row) => {
    if (row.held_until == null) return row;
    const end = Date.parse(row.held_until);
    if (end <= now.getTime()) return row;
    until = Math.min(until, end);
    return { ...row, price_cents: Math.min(row.price_cents, row.held_price_cents!) };
  });
  return { rows: until === Number.POSITIVE_INFINITY ? rows : priced, until };
}
