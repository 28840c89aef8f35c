import type { Environment } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";
import type { Bytes } from "../values.ts";

const ofPatient = sql<[account_id: string, patient_key: number, after: string, most: number], { order_number: string }>`
select distinct i.order_number
from order_item i
where i.account_id = $1 and i.patient_key = $2 and i.pending and i.order_number > $3
order by i.order_number
limit $4`;
/** The patient's orders that have not shipped, a page after an order number. */
export const listOpenOrders = (db: Queryable, account_id: string, patient_key: number, after: string, most: number) =>
  db.rows(ofPatient, [account_id, patient_key, after, most]);

const heldBy = sql<
  [account_id: string, order_number: string, exception_ids: readonly number[], most: number],
  { order_number: string }
>`
select o.order_number
from orders o
where o.account_id = $1 and o.order_number <> $2 and o.exception_ids && $3::integer[] and o.order_number in (
  select i.order_number
  from order_item i
  where i.account_id = $1 and i.pending and i.patient_key = (
    select c.patient_key
    from orders c
    where c.account_id = $1 and c.order_number = $2))
order by o.order_position
limit $4`;
/** The patient's other open orders with one of these exceptions, oldest first. */
export const listOrdersHeldBy = (
  db: Queryable,
  account_id: string,
  order_number: string,
  exception_ids: readonly number[],
  most: number,
) => db.rows(heldBy, [account_id, order_number, exception_ids, most]);

const patientHeldBy = sql<
  [account_id: string, patient_key: number, exception_ids: readonly number[], most: number],
  { order_number: string }
>`
select o.order_number
from orders o
where o.account_id = $1 and o.exception_ids && $3::integer[] and o.order_number in (
  select i.order_number
  from order_item i
  where i.account_id = $1 and i.pending and i.patient_key = $2)
order by o.order_position
limit $4`;
/** The patient's open orders with one of these exceptions, oldest first. */
export const listOrdersOfPatientHeldBy = (
  db: Queryable,
  account_id: string,
  patient_key: number,
  exception_ids: readonly number[],
  most: number,
) => db.rows(patientHeldBy, [account_id, patient_key, exception_ids, most]);

const ofPrescriptions = sql<[account_id: string, prescription_ids: number[]], { order_number: string }>`
select distinct i.order_number
from order_item i
where i.account_id = $1 and i.prescription_id = any($2) and i.pending
order by i.order_number`;
/** The orders of these prescriptions that have not shipped. */
export const listOpenOrdersOf = (db: Queryable, account_id: string, prescription_ids: number[]) =>
  db.rows(ofPrescriptions, [account_id, prescription_ids]);

const due = sql<
  [account_id: string | null, most: number, environment: Environment | null],
  { account_id: string; patient_key: number }
>`
select p.account_id, p.patient_key
from patient p
join account a on a.account_id = p.account_id
where p.recheck_due and ($1::text is null or p.account_id = $1) and ($3::text is null or a.environment = $3)
limit $2`;
/** Patients whose orders must be checked again. With `account_id` or `environment`, only those. */
export const listRecheckDue = (
  db: Queryable,
  account_id: string | null,
  most: number,
  environment: Environment | null,
) => db.rows(due, [account_id, most, environment]);

const marked = sql<[account_id: string, patient_key: number], { revision: number }>`
select revision
from patient
where account_id = $1 and patient_key = $2 and recheck_due`;
/** The revision of a patient whose orders must be checked again; undefined if the checks have run. */
export const findRecheckDue = (db: Queryable, account_id: string, patient_key: number) =>
  db.row(marked, [account_id, patient_key]);

const clear = sql<[account_id: string, patient_key: number, revision: number]>`
update patient
set recheck_due = false
where account_id = $1 and patient_key = $2 and revision = $3 and recheck_due`;
/** Clears the mark, unless the patient changed again since. */
export const clearRecheckDue = (db: Queryable, account_id: string, patient_key: number, revision: number) =>
  db.run(clear, [account_id, patient_key, revision]);

const ended = sql<
  [account_id: string | null, now: Date, exception_id: number, most: number, environment: Environment | null],
  { account_id: string; order_number: string }
>`
select distinct i.account_id, i.order_number
from order_item i
join account a on a.account_id = i.account_id
join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id
join orders o on o.account_id = i.account_id and o.order_number = i.order_number
where i.pending and ($1::text is null or i.account_id = $1) and ($5::text is null or a.environment = $5)
  and (not r.active or r.acceptance = 'rejected'
    or r.expires_at <= $2::timestamptz + make_interval(secs => a.clock_offset_s))
  and not $3 = any(o.exception_ids)
limit $4`;
/** Open orders whose prescription ended or expired, by the account's clock, without the exception that says so. */
export const listOrdersOfEnded = (
  db: Queryable,
  account_id: string | null,
  now: Date,
  exception_id: number,
  most: number,
  environment: Environment | null,
) => db.rows(ended, [account_id, now, exception_id, most, environment]);

const findings = sql<
  [account_id: string, order_number: string, revision: number, safety_sealed: Bytes | null, bases: string]
>`
with found as (
  update orders
  set safety_sealed = $4::bytea
  where account_id = $1 and order_number = $2 and revision = $3
  returning true
)
update order_exception e
set basis = b.basis
from jsonb_to_recordset($5::jsonb) as b(exception_id integer, basis text)
where e.account_id = $1 and e.order_number = $2 and e.exception_id = b.exception_id and e.resolved_at is null
  and exists (select from found)`;
/**
 * Saves findings that open or close no exception, and what the open exceptions are based on now. The order's revision and
 * the time of its change stay, because nothing about the order changed. Otherwise the partner would also see that another
 * partner's data changed.
 */
export const saveFindings = (
  db: Queryable,
  account_id: string,
  order_number: string,
  revision: number,
  safety_sealed: Bytes | null,
  bases: readonly { exception_id: number; basis: string | null }[],
) => db.run(findings, [account_id, order_number, revision, safety_sealed, JSON.stringify(bases)]);
