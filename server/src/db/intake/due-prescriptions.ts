import type { Environment, ErrorEntry } from "@pestle/contract";
import { type Queryable, sql, type Tx } from "../db.ts";
import type { Bytes } from "../values.ts";
import type { NewEvent } from "../webhooks/new-event.ts";

export type DueAccount = { account_id: string; environment: Environment; clock_offset_s: number };

const accounts = sql<[account_id: string | null, environment: Environment | null], DueAccount>`
select a.account_id, a.environment, a.clock_offset_s
from each_account a
where a.workflow = 'automatic' and ($1::text is null or a.account_id = $1)
  and ($2::text is null or a.environment = $2) and exists (
  select
  from prescription r
  where r.account_id = a.account_id and r.order_due_at is not null)`;
/**
 * Accounts on Automatic Processing with prescriptions to order now or later. With `account_id` or `environment`, only
 * those.
 */
export const listDueAccounts = (
  db: Queryable,
  account_id: string | null = null,
  environment: Environment | null = null,
) => db.rows(accounts, [account_id, environment]);

export type DuePrescription = {
  prescription_id: number;
  patient_key: number;
  id_sealed: Buffer;
  ndc: string | null;
  gcn: string | null;
  /** It was tried before, and has a review. */
  refused: boolean;
};

const due = sql<[account_id: string, now: Date, most: number], DuePrescription>`
select r.prescription_id, r.patient_key, r.ndc, r.gcn, r.order_errors <> '[]' as refused, (
    select p.id_sealed
    from patient p
    where p.account_id = r.account_id and p.patient_key = r.patient_key) as id_sealed
from prescription r
where r.account_id = $1 and r.order_due_at <= $2
order by r.order_due_at, r.received_at, r.intake_message_id
limit $3`;
/** Prescriptions that Automatic Processing must order by now. */
export const listDuePrescriptions = (db: Queryable, account_id: string, now: Date, most: number) =>
  db.rows(due, [account_id, now, most]);

const oneDue = sql<[account_id: string, prescription_id: number], DuePrescription>`
select r.prescription_id, r.patient_key, r.ndc, r.gcn, r.order_errors <> '[]' as refused, (
    select p.id_sealed
    from patient p
    where p.account_id = r.account_id and p.patient_key = r.patient_key) as id_sealed
from prescription r
where r.account_id = $1 and r.prescription_id = $2 and r.order_due_at is not null`;
/** Undefined if Automatic Processing has ordered it, or will not order it. */
export const loadDuePrescription = (db: Queryable, account_id: string, prescription_id: number) =>
  db.row(oneDue, [account_id, prescription_id]);

const ordered = sql<[account_id: string, prescription_id: number, now: Date]>`
update review
set resolved_at = $3, outcome = 'ordered automatically'
where account_id = $1 and prescription_id = $2 and kind = 'order_refused' and resolved_at is null`;
/** The cause is gone, and so is the question to a person. */
export const closeRefusals = (db: Queryable, account_id: string, prescription_id: number, now: Date) =>
  db.run(ordered, [account_id, prescription_id, now]);

const stop = sql<[account_id: string, prescription_id: number]>`
update prescription
set order_due_at = null
where account_id = $1 and prescription_id = $2 and order_due_at is not null`;
/** Automatic Processing no longer tries to order it. */
export const stopOrdering = (tx: Tx, account_id: string, prescription_id: number) =>
  tx.run(stop, [account_id, prescription_id]);

const noteErrors = sql<
  [
    account_id: string,
    prescription_id: number,
    order_errors: string,
    reasons: string[],
    now: Date,
    again_at: Date,
    known_errors: string,
    event_id: string | null,
    event_type: string | null,
    body_sealed: Bytes | null,
  ]
>`
with noted as (
  update prescription
  set order_errors = $3::jsonb, order_due_at = case when active then $6::timestamptz end
  where account_id = $1 and prescription_id = $2 and order_due_at is not null and order_errors = $7::jsonb
  returning account_id, prescription_id, patient_key, intake_message_id
), told as (
  insert into webhook_event (account_id, event_id, event_type, body_sealed, created_at)
  select n.account_id, $8, $9, $10, $5
  from noted n
  where $8::uuid is not null
  returning account_id
)
insert into review (account_id, kind, intake_message_id, patient_key, prescription_id, reasons, created_at)
select n.account_id, 'order_refused', n.intake_message_id, n.patient_key, n.prescription_id, $4, $5
from noted n
where (
  select count(*)
  from review v
  where v.account_id = $1 and v.prescription_id = $2 and v.kind = 'order_refused' and v.resolved_at is null) = 0
returning account_id`;
/**
 * Stores why Automatic Processing could not create the order. The partner sees the errors, also in the event if there is
 * one, and the pharmacy gets one review entry. Writes nothing if another process stored other errors meanwhile.
 */
export const noteOrderErrors = (
  db: Queryable,
  noted: {
    account_id: string;
    prescription_id: number;
    order_errors: ErrorEntry[];
    now: Date;
    again_at: Date;
    /** The errors at decision time. */
    known_errors: ErrorEntry[];
    event: (Pick<NewEvent, "event_id" | "event_type"> & { body_sealed: Bytes }) | null;
  },
) =>
  db.run(noteErrors, [
    noted.account_id,
    noted.prescription_id,
    JSON.stringify(noted.order_errors),
    noted.order_errors.map(({ code }) => String(code)),
    noted.now,
    noted.again_at,
    JSON.stringify(noted.known_errors),
    noted.event?.event_id ?? null,
    noted.event?.event_type ?? null,
    noted.event?.body_sealed ?? null,
  ]);

const waitingItem = sql<[account_id: string, prescription_id: number], { order_number: string | null }>`
with arrived as (
  select r.*
  from prescription r
  where r.account_id = $1 and r.prescription_id = $2 and r.order_due_at is not null
), waiting as (
  select i.order_number
  from arrived r
  join order_item i on i.account_id = r.account_id and i.patient_key = r.patient_key and i.pending
    and i.needs_prescription and i.prescription_id is null and (i.gcn = r.gcn or i.ndc = r.ndc)
  union all
  select i.order_number
  from arrived r
  join prescription e on e.account_id = r.account_id and e.prescription_id = r.replaces_prescription_id
    and not e.active
  join order_item i on i.account_id = e.account_id and i.prescription_id = e.prescription_id and i.pending
    and (i.gcn = r.gcn or i.ndc = r.ndc)
  join orders o on o.account_id = i.account_id and o.order_number = i.order_number
    and (o.stage = 'clinical_review' or o.held_from = 'Processing/clinical_review')
)
select (
    select w.order_number
    from waiting w
    order by w.order_number
    limit 1) as order_number
from arrived`;
/**
 * Finds an open order of the patient that lacks a prescription for this medication, or whose prescription this one
 * replaces before the review. `order_number` is null if there is none. Returns undefined if another order has taken the
 * prescription meanwhile.
 */
export const findWaitingItem = (db: Queryable, account_id: string, prescription_id: number) =>
  db.row(waitingItem, [account_id, prescription_id]);
