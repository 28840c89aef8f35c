import type { Database, Tx } from "../../db/db.ts";
import { closeReview, lockReview } from "../../db/intake/reviews.ts";
import { reviewKinds } from "../../domain/intake/review-kinds.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { checkedNote } from "../operations/checked-note.ts";
import { transact } from "../write.ts";
import { requireReviewer } from "./require-reviewer.ts";

/** Closes an entry that needs only a person's look and a note on the outcome. */
export async function resolveReview(
  db: Database,
  given: { account_id: string; review_id: number; email: string; outcome: string },
  real_now: Date,
  audit?: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  const { account_id, review_id } = given;
  const outcome = checkedNote(given.outcome);
  await transact({ db }, async (tx) => {
    const { person_id } = await requireReviewer(tx, given.email);
    const review = await lockReview(tx, account_id, review_id);
    if (review === undefined) throw new AdminRefusal("There is no such entry in this account.");
    if (review.resolved_at !== null) throw new AdminRefusal("This entry is already closed.");
    // Without a verdict the prescription could never be filled, and no list would show it.
    if (reviewKinds[review.kind].closed_by === "accept") {
      throw new AdminRefusal("This entry needs a verdict: run `pestle rx accept` or `pestle rx reject`.");
    }
    const resolved_at = accountNow(real_now, review.clock_offset_s);
    await closeReview(tx, { account_id, review_id, resolved_at, resolved_by: person_id, outcome });
    await audit?.(tx);
  });
}
