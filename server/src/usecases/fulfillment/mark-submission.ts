import type { Database } from "../../db/db.ts";
import { lockSubmission, updateSubmission } from "../../db/fulfillment/pmp-submissions.ts";
import { mayFollow, type SubmissionStatus } from "../../domain/fulfillment/pmp-submission.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { checkedNote } from "../operations/checked-note.ts";
import { transact } from "../write.ts";

/** Records that a report was submitted to the state's program, or what the program answered. */
export async function markSubmission(
  db: Database,
  given: { submission_id: number; status: SubmissionStatus; person_id: string; note: string | null },
  now: Date,
): Promise<{ submission_id: number; status: SubmissionStatus }> {
  const { submission_id, status, person_id } = given;
  const note = given.note === null ? null : checkedNote(given.note);
  if (status === "rejected" && note === null) throw new AdminRefusal("Note why the program rejected the report.");
  return transact({ db }, async (tx) => {
    const before = await lockSubmission(tx, submission_id);
    if (before === undefined) throw new AdminRefusal("There is no such submission. `pestle report list` shows them.");
    if (!mayFollow(before.status, status)) {
      throw new AdminRefusal(`The submission is ${before.status}, so it cannot become ${status}.`);
    }
    await updateSubmission(tx, { submission_id, status, status_at: now, status_by: person_id, note });
    return { submission_id, status };
  });
}
