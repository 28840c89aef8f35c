import type { ExceptionId, ProductMiss, TransitionEvent } from "@pestle/contract";
import { type Queryable, sql } from "../../db.ts";

/** A step with the note of the person who took it. */
export type ReasonRow = {
  at: Date;
  order_number: string;
  history_position: number;
  patient_key: number;
  exception_id: ExceptionId | null;
  who: string | null;
  note_id: string;
  note_at: Date;
  person_id: string | null;
  role: string;
  text_sealed: Buffer;
  signature: Buffer | null;
};
const reasons = sql<
  [
    account_id: string,
    event: TransitionEvent,
    after_at: Date,
    after_order: string,
    after_position: number,
    before: Date,
    limit: number,
  ],
  ReasonRow
>`
select h.at, h.order_number, h.history_position, o.patient_key, h.exception_id, coalesce(w.name, h.person_id) as who,
  n.note_id, n.at as note_at, n.person_id, n.role, n.text_sealed, n.signature
from order_history h
join order_note n on n.account_id = h.account_id and n.order_number = h.order_number and n.note_id = h.note_id
join orders o on o.account_id = h.account_id and o.order_number = h.order_number
left join person w on w.person_id = h.person_id
where h.account_id = $1 and h.note_id is not null and h.event = $2 and h.at >= $3
  and (h.at, h.order_number, h.history_position) > ($3, $4, $5) and h.at < $6
order by h.at, h.order_number, h.history_position
limit $7`;
/** The steps of one kind that people took with a reason. */
export const listReasons = (
  db: Queryable,
  account_id: string,
  event: TransitionEvent,
  after: { at: Date; order_number: string; history_position: number },
  before: Date,
  limit: number,
) => db.rows(reasons, [account_id, event, after.at, after.order_number, after.history_position, before, limit]);

export type MissRow = {
  at: Date;
  miss_id: number;
  order_number: string;
  patient_key: number;
  stage: string;
  found: ProductMiss;
  who: string;
};
const misses = sql<[account_id: string, after_at: Date, after_id: number, before: Date, limit: number], MissRow>`
select m.at, m.miss_id, m.order_number, o.patient_key, m.stage, m.found, coalesce(w.name, m.person_id) as who
from product_miss m
join orders o on o.account_id = m.account_id and o.order_number = m.order_number
left join person w on w.person_id = m.person_id
where m.account_id = $1 and m.at >= $2 and (m.at, m.miss_id) > ($2, $3) and m.at < $4
order by m.at, m.miss_id
limit $5`;
export const listMisses = (
  db: Queryable,
  account_id: string,
  after: { at: Date; miss_id: number },
  before: Date,
  limit: number,
) => db.rows(misses, [account_id, after.at, after.miss_id, before, limit]);

export type RefundRow = {
  at: Date;
  source_id: string;
  line_no: number;
  order_number: string;
  patient_key: number;
  reason_id: number;
};
const refunds = sql<
  [
    account_id: string,
    after_at: Date,
    after_source: string,
    after_line: number,
    before: Date,
    reason_ids: readonly number[],
    limit: number,
  ],
  RefundRow
>`
select e.booked_at as at, e.source_id, e.line_no, e.order_number, o.patient_key, e.reason_id
from money_entry e
join orders o on o.account_id = e.account_id and o.order_number = e.order_number
where e.account_id = $1 and e.booked_at >= $2 and (e.booked_at, e.source_id, e.line_no) > ($2, $3, $4) and e.booked_at < $5
  and e.kind = 'refund' and e.reason_id = any($6)
order by e.booked_at, e.source_id, e.line_no
limit $7`;
/** Refunds for some reasons, from the ledger. */
export const listRefunds = (
  db: Queryable,
  account_id: string,
  after: { at: Date; source_id: string; line_no: number },
  before: Date,
  reason_ids: readonly number[],
  limit: number,
) => db.rows(refunds, [account_id, after.at, after.source_id, after.line_no, before, reason_ids, limit]);
