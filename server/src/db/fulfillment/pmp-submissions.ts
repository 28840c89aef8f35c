import type { Environment } from "@pestle/contract";
import type { SubmissionKind, SubmissionStatus } from "../../domain/fulfillment/pmp-submission.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

export type Submission = {
  submission_id: number;
  environment: Environment;
  kind: SubmissionKind;
  state: string | null;
  from_date: string;
  to_date: string;
  control_number: string;
  records: number;
  file_hash: string;
  created_at: Date;
  status: SubmissionStatus;
  status_at: Date | null;
  status_by: string | null;
  note: string | null;
};
type NewSubmission = Pick<
  Submission,
  "environment" | "kind" | "state" | "from_date" | "to_date" | "control_number" | "created_at"
> & { dispense_ids: readonly number[]; file_hash: Buffer };

const add = sql<
  [
    environment: Environment,
    kind: SubmissionKind,
    state: string | null,
    from_date: string,
    to_date: string,
    control_number: string,
    dispense_ids: readonly number[],
    file_hash: Buffer,
    created_at: Date,
  ],
  { submission_id: number }
>`
insert into pmp_submission (environment, kind, state, from_date, to_date, control_number, records, dispense_ids,
  file_hash, created_at)
values ($1, $2, $3, $4, $5, $6, cardinality($7::bigint[]), $7, $8, $9)
returning submission_id`;
export const insertSubmission = (db: Queryable, row: NewSubmission) =>
  db.row(add, [
    row.environment,
    row.kind,
    row.state,
    row.from_date,
    row.to_date,
    row.control_number,
    row.dispense_ids,
    row.file_hash,
    row.created_at,
  ]);

const list = sql<[environment: Environment, state: string | null, most: number], Submission>`
select s.submission_id, s.environment, s.kind, s.state, s.from_date::text as from_date, s.to_date::text as to_date,
  s.control_number, s.records, encode(s.file_hash, 'hex') as file_hash, s.created_at, s.status, s.status_at,
  coalesce(p.email, s.status_by) as status_by, s.note
from pmp_submission s
left join person p on p.person_id = s.status_by
where s.environment = $1 and ($2::text is null or s.state = $2)
order by s.created_at desc, s.submission_id desc
limit $3`;
/** Newest first. */
export const listSubmissions = (db: Queryable, environment: Environment, state: string | null, most: number) =>
  db.rows(list, [environment, state, most]);

const lock = sql<[submission_id: number], { status: SubmissionStatus }>`
select status
from pmp_submission
where submission_id = $1
for update`;
export const lockSubmission = (tx: Tx, submission_id: number) => tx.row(lock, [submission_id]);

const mark = sql<
  [submission_id: number, status: SubmissionStatus, status_at: Date, status_by: string, note: string | null]
>`
update pmp_submission
set status = $2, status_at = $3, status_by = $4, note = $5
where submission_id = $1`;
export const updateSubmission = (
  tx: Tx,
  row: { submission_id: number; status: SubmissionStatus; status_at: Date; status_by: string; note: string | null },
) => tx.run(mark, [row.submission_id, row.status, row.status_at, row.status_by, row.note]);

const reported = sql<[dispense_ids: readonly number[]], { dispense_ids: number[]; kind: SubmissionKind }>`
select dispense_ids, kind
from pmp_submission
where dispense_ids && $1::bigint[] and status in ('submitted', 'accepted')
order by submission_id`;
/** The submitted reports that contain one of these fills, oldest first. */
export const listReported = (db: Queryable, dispense_ids: readonly number[]) => db.rows(reported, [dispense_ids]);
