import type { Queryable } from "../../db/db.ts";
import { listStuckPayments } from "../../db/orders/card-authorizations.ts";
import { type Finding, finding } from "../operations/check-up.ts";

const MOST_NAMED = 5;
const MOST = 100;

/** Payments that the provider refuses to void, refund or charge. A person must look at each in the provider's dashboard. */
export async function checkStuckPayments(db: Queryable): Promise<Finding[]> {
  const stuck = await listStuckPayments(db, MOST);
  if (stuck.length === 0) return [];
  const named = stuck.slice(0, MOST_NAMED).map(({ order_number, problem }) => `${order_number} (${problem})`);
  const more = stuck.length > MOST_NAMED ? ` and ${stuck.length - MOST_NAMED} more` : "";
  const says = `the provider refuses to settle ${stuck.length}: ${named.join(", ")}${more}. Look at them in its dashboard`;
  return [finding("payments", "failed", says)];
}
