import { type Queryable, sql } from "./db.ts";

export type ReviewKind =
  | "patient_match"
  | "prescription_acceptance"
  | "unrouted_message"
  | "message_id_reused"
  | "unmatched_cancel"
  | "canceled_in_filling"
  | "order_refused"
  | "processing_failed";

const add = sql<
  [
    account_id: string,
    kind: ReviewKind,
    intake_message_id: number | null,
    reasons: string[],
    facts: string,
    created_at: Date,
  ]
>`
insert into review (account_id, kind, intake_message_id, reasons, facts, created_at)
values ($1, $2, $3, $4, $5, $6)`;
/** Something that a person of the pharmacy must look at. */
export const insertReview = (
  db: Queryable,
  review: {
    account_id: string;
    kind: ReviewKind;
    intake_message_id: number | null;
    reasons: string[];
    facts: Record<string, unknown>;
    created_at: Date;
  },
) =>
  db.run(add, [
    review.account_id,
    review.kind,
    review.intake_message_id,
    review.reasons,
    JSON.stringify(review.facts),
    review.created_at,
  ]);
