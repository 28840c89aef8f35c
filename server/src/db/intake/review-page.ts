import type { Environment } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";
import type { PatientRow } from "../patients/patients.ts";
import type { ReviewRow } from "./reviews.ts";

export type ListedReview = ReviewRow & {
  partner: string | null;
  environment: Environment;
  resolved_by_name: string | null;
  /** The receiver that the message named. */
  receiver: string | null;
};

const list = sql<
  [environment: Environment | null, account_id: string | null, review_id: number | null, all: boolean, most: number],
  ListedReview
>`
select v.account_id, v.review_id, v.kind, v.intake_message_id, v.patient_key, w.id_sealed, v.prescription_id, v.reasons, v.facts,
  v.facts_sealed,
  v.created_at, v.resolved_at, v.resolved_by, v.outcome, p.name as partner, a.environment, e.name as resolved_by_name,
  m.receiver
from review v
join account a on a.account_id = v.account_id
left join partner p on p.partner_id = a.partner_id
left join person e on e.person_id = v.resolved_by
left join patient w on w.account_id = v.account_id and w.patient_key = v.patient_key
left join intake_message m on m.account_id = v.account_id and m.intake_message_id = v.intake_message_id
where ($1::text is null or a.environment = $1) and ($2::text is null or v.account_id = $2)
  and ($3::bigint is null or v.review_id = $3) and ($4 or v.resolved_at is null)
order by v.resolved_at desc nulls first, v.created_at, v.review_id
limit $5`;
/** Open entries, oldest first. With `all` also closed entries, the last closed first. */
export const listReviewEntries = (db: Queryable, environment: Environment | null, all: boolean, most: number) =>
  db.rows(list, [environment, null, null, all, most]);
export const loadReviewEntry = (db: Queryable, account_id: string, review_id: number) =>
  db.row(list, [null, account_id, review_id, true, 1]);

export type ReviewMessage = {
  account_id: string;
  intake_message_id: number;
  format: "script" | "fhir" | "simulation";
  sender: string;
  sender_message_id: string;
  receiver: string | null;
  received_at: Date;
  warnings: string[];
  body_sealed: Buffer;
};
const message = sql<[account_id: string, review_id: number], ReviewMessage>`
select m.account_id, m.intake_message_id, m.format, m.sender, m.sender_message_id, m.receiver, m.received_at, m.warnings,
  m.body_sealed
from intake_message m
where m.intake_message_id = (
    select v.intake_message_id
    from review v
    where v.account_id = $1 and v.review_id = $2)
  -- The message belongs to the account that received it: the pharmacy's own account of the environment, or the partner's.
  and m.account_id in (
    select o.account_id
    from account a
    join account o on o.environment = a.environment and (o.account_id = a.account_id or o.partner_id is null)
    where a.account_id = $1)`;
/** The message behind an entry. */
export const loadReviewMessage = (db: Queryable, account_id: string, review_id: number) =>
  db.row(message, [account_id, review_id]);

const patients = sql<[account_id: string, indexes: readonly Buffer[]], PatientRow>`
select account_id, patient_key, id_sealed, revision, record_sealed, created_at, updated_at
from patient
where account_id = $1 and id_index = any($2)`;
/** Patients by the blind indexes of their ids. */
export const listPatients = (db: Queryable, account_id: string, indexes: readonly Buffer[]) =>
  db.rows(patients, [account_id, indexes]);
