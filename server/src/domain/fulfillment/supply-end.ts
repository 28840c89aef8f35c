const DAY_MS = 24 * 3600 * 1000;

type Shipped = { shipped_at: Date; days: number };

/** When the patient will have used up all fills of a medication: one begins when the one before is used up. */
export function supplyEnd(fills: readonly Shipped[]): Date {
  const in_order = [...fills].sort((a, b) => a.shipped_at.getTime() - b.shipped_at.getTime());
  return new Date(
    in_order.reduce((end_ms, { shipped_at, days }) => Math.max(end_ms, shipped_at.getTime()) + days * DAY_MS, 0),
  );
}
