import type { ReviewKind } from "../../domain/intake/review-kinds.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

/** The vault's place for the facts of an entry. An entry with facts is about a message. */
export const factsPlace = (account_id: string, intake_message_id: number | null, kind: string) =>
  `review.facts_sealed ${account_id} ${intake_message_id} ${kind}`;

const add = sql<
  [
    account_id: string,
    kind: ReviewKind,
    intake_message_id: number | null,
    reasons: string[],
    facts_sealed: Buffer,
    created_at: Date,
  ]
>`
insert into review (account_id, kind, intake_message_id, reasons, facts_sealed, created_at)
values ($1, $2, $3, $4, $5, $6)`;
/** Adds an entry that a person at the pharmacy must review. */
export const insertReview = (
  db: Queryable,
  review: {
    account_id: string;
    kind: ReviewKind;
    intake_message_id: number | null;
    reasons: string[];
    facts_sealed: Buffer;
    created_at: Date;
  },
) =>
  db.run(add, [
    review.account_id,
    review.kind,
    review.intake_message_id,
    review.reasons,
    review.facts_sealed,
    review.created_at,
  ]);

export type ReviewRow = {
  account_id: string;
  review_id: number;
  kind: ReviewKind;
  intake_message_id: number | null;
  patient_key: number | null;
  /** The partner's id of the patient. */
  id_sealed: Buffer | null;
  prescription_id: number | null;
  reasons: string[];
  /** In clear only in rows of earlier versions. */
  facts: Record<string, unknown> | null;
  facts_sealed: Buffer | null;
  created_at: Date;
  resolved_at: Date | null;
  resolved_by: string | null;
  outcome: string | null;
};

const list = sql<
  [account_id: string | null, with_resolved: boolean],
  ReviewRow & { partner: string | null; resolved_by_email: string | null }
>`
select v.account_id, v.review_id, v.kind, v.intake_message_id, v.patient_key, w.id_sealed, v.prescription_id, v.reasons, v.facts,
  v.facts_sealed,
  v.created_at, v.resolved_at, v.resolved_by, v.outcome, p.name as partner, e.email as resolved_by_email
from review v
join account a on a.account_id = v.account_id
left join partner p on p.partner_id = a.partner_id
left join person e on e.person_id = v.resolved_by
left join patient w on w.account_id = v.account_id and w.patient_key = v.patient_key
where ($1::text is null or v.account_id = $1) and ($2 or v.resolved_at is null)
order by v.created_at, v.review_id`;
/** Oldest first. For the pharmacy's own people, who see every account. */
export const listReviews = (db: Queryable, account_id: string | null, with_resolved: boolean) =>
  db.rows(list, [account_id, with_resolved]);

const lock = sql<
  [account_id: string, review_id: number],
  Pick<ReviewRow, "kind" | "resolved_at"> & { clock_offset_s: number }
>`
select v.kind, v.resolved_at, a.clock_offset_s
from review v
join account a on a.account_id = v.account_id
where v.account_id = $1 and v.review_id = $2
for update of v`;
/** Locks the entry, so that two people cannot both close it. */
export const lockReview = (tx: Tx, account_id: string, review_id: number) => tx.row(lock, [account_id, review_id]);

const close = sql<[account_id: string, review_id: number, resolved_at: Date, resolved_by: string, outcome: string]>`
update review
set resolved_at = $3, resolved_by = $4, outcome = $5
where account_id = $1 and review_id = $2 and resolved_at is null`;
/** Returns 0 if another person has already closed it. */
export const closeReview = (
  tx: Tx,
  row: { account_id: string; review_id: number; resolved_at: Date; resolved_by: string; outcome: string },
) => tx.run(close, [row.account_id, row.review_id, row.resolved_at, row.resolved_by, row.outcome]);
