import type { Queryable } from "../../server/src/db/db.ts";
import type { Journey } from "../webhook-ledger.ts";
import type { TimedJourney } from "./journey-load.ts";

/** An order in the database. */
export type StoredOrder = { order_number: string; patient_key: number };

export const storedOrders = async (db: Queryable, account_id: string): Promise<StoredOrder[]> =>
  (await db.raw("select order_number, patient_key from orders where account_id = $1", [account_id]))
    .rows as StoredOrder[];

/** Compares the orders that clients have with those that exist. Every journey ended, so there are no others. */
export function judgeJourneys(journeys: readonly Journey[], before: readonly string[], stored: readonly StoredOrder[]) {
  const faults: string[] = [];
  const there = new Set(stored.map(({ order_number }) => order_number));
  const known = new Set([...before, ...journeys.map(({ order_number }) => order_number)]);
  const missing = journeys.filter(({ order_number }) => !there.has(order_number)).length;
  if (missing > 0) faults.push(`${missing} times: an acknowledged order is missing`);
  const unknown = stored.filter(({ order_number }) => !known.has(order_number));
  if (unknown.length > 0) faults.push(`${unknown.length} times: an order whose client has another one`);
  const made = stored.filter(({ order_number }) => !before.includes(order_number));
  const patients = new Set(made.map(({ patient_key }) => patient_key));
  if (patients.size < made.length) faults.push(`${made.length - patients.size} times: a patient has two orders`);
  return faults;
}

/** Compares a restored database with a moment: everything acknowledged before it, and nothing that began after it. */
export function judgeMoment(
  orders: readonly Pick<TimedJourney, "order_number" | "begun_ms" | "answered_ms">[],
  moment_ms: number,
  stored: readonly StoredOrder[],
): string[] {
  const there = new Set(stored.map(({ order_number }) => order_number));
  const faults: string[] = [];
  for (const { order_number, begun_ms, answered_ms } of orders) {
    if (answered_ms < moment_ms && !there.has(order_number)) faults.push("an acknowledged order is missing");
    if (begun_ms > moment_ms && there.has(order_number)) faults.push("an order from after the moment is there");
  }
  return faults;
}
