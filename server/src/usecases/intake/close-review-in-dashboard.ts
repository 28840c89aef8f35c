import type { ReviewClosed, RouteReviewRequest, VerdictRequest } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { acceptPrescription } from "./accept-prescription.ts";
import { type ReviewKey, requireEntry } from "./read-reviews.ts";
import { routeKeptMessage } from "./route-kept-message.ts";

/** The person who closes an entry, identified by the email address they sign in with. */
export type Closer = Looker & { email: string };

/** Closes an entry with a pharmacist's verdict on its prescription. */
export async function closeByVerdict(
  deps: Deps,
  by: Closer,
  key: ReviewKey,
  { verdict, note: text }: VerdictRequest,
  request_id: string,
): Promise<ReviewClosed> {
  const { prescription_id, kind } = await requireEntry(deps, key);
  if (prescription_id === null || kind !== "prescription_acceptance") {
    throw new AdminRefusal("This entry does not need a verdict.");
  }
  const given = { account_id: key.account_id, prescription_id, verdict, email: by.email, note: text };
  const { order_due_at } = await acceptPrescription(deps, given, deps.now(), noteClosed(deps, by, key, request_id));
  return { closed: true, prescription_id, order_due_at: order_due_at?.toISOString() ?? null };
}

/** Closes an entry by routing its message to an account. */
export async function closeByRoute(
  deps: Deps,
  formatOf: Parameters<typeof routeKeptMessage>[1],
  by: Closer,
  key: ReviewKey,
  { to_account_id }: RouteReviewRequest,
  request_id: string,
): Promise<ReviewClosed> {
  await requireEntry(deps, key);
  const given = { review_id: key.review_id, account_id: to_account_id, email: by.email };
  const { prescription_id } = await routeKeptMessage(deps, formatOf, given, noteClosed(deps, by, key, request_id));
  return { closed: true, prescription_id };
}

/** Records who closed the entry, in the transaction that closes it. */
export const noteClosed =
  (deps: Deps, by: Looker, { account_id, review_id }: ReviewKey, request_id: string) =>
  (tx: Tx): Promise<number> => {
    const entry = { account_id, action: "review_closed" as const, subject: `review ${review_id}` };
    return writeAudit({ db: tx, now: deps.now }, by, entry, request_id);
  };
