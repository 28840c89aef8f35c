import type { Environment } from "@pestle/contract";
import { type Database, type Queryable, sql } from "../db.ts";
import type { FillRow } from "../orders/place-order.ts";

export type PersonElsewhereRow = {
  account_id: string;
  patient_key: number;
  partner: string;
  record_sealed: Buffer;
  clock_offset_s: number;
  fills: FillRow[];
};
const elsewhere = sql<[account_id: string, patient_key: number, taken_since: Date, most: number], PersonElsewhereRow>`
with linked as (
  select distinct other.account_id, other.patient_key
  from person_link own
  join person_link other on other.environment = own.environment and other.person_key = own.person_key
    and other.account_id <> own.account_id
  where own.account_id = $1 and own.patient_key = $2
  order by other.account_id, other.patient_key
  limit $4
)
select p.account_id, p.patient_key, coalesce(n.name, p.account_id) as partner, p.record_sealed, a.clock_offset_s,
  coalesce((
    select json_agg(json_build_object(
      'order_number', i.order_number, 'prescription_id', i.prescription_id, 'gcn', i.gcn, 'shipped_at', i.shipped_at,
      'ingredients', d.ingredients, 'units', i.units, 'days_supply', r.days_supply, 'written_qty', r.written_qty))
    from order_item i
    join product d on d.account_id = i.account_id and d.sku = i.sku
    left join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id
    where i.account_id = p.account_id and i.patient_key = p.patient_key and (i.pending
      or i.supply_ends_at > $3::timestamptz + make_interval(secs => a.clock_offset_s))), '[]') as fills
from patient p
join account a on a.account_id = p.account_id
left join partner n on n.partner_id = a.partner_id
where (p.account_id, p.patient_key) in (
  select l.account_id, l.patient_key
  from linked l)`;
/** The same person at other partners of the environment, with the fills since a real time. */
export const listElsewhere = (
  db: Queryable,
  account_id: string,
  patient_key: number,
  taken_since: Date,
  most: number,
) => db.rows(elsewhere, [account_id, patient_key, taken_since, most]);

export type PersonDue = {
  person_due_id: number;
  account_id: string;
  patient_key: number;
  /** The patient's server did not copy the keys to `person_link`. */
  is_spread: boolean;
};
const due = sql<[most: number, environment: Environment | null], PersonDue>`
select d.person_due_id, d.account_id, d.patient_key, is_distributed() as is_spread
from person_due d
join account a on a.account_id = d.account_id
where $2::text is null or a.environment = $2
order by d.person_due_id
limit $1`;
/** Oldest first, of one environment or of both. */
export const listPersonDue = (db: Queryable, most: number, environment: Environment | null) =>
  db.rows(due, [most, environment]);

const done = sql<[person_due_ids: number[]]>`
delete from person_due
where person_due_id = any($1)`;
export const deletePersonDue = (db: Queryable, done_now: readonly PersonDue[]) =>
  db.run(done, [done_now.map(({ person_due_id }) => person_due_id)]);

const again = sql<[account_ids: string[], patient_keys: number[]]>`
insert into person_due (account_id, patient_key)
select f.account_id, f.patient_key
from unnest($1::text[], $2::bigint[]) as f(account_id, patient_key)
returning account_id`;
/** Moves failed ones to the end, so that they do not stop the others. */
export async function requeuePersonDue(db: Queryable, failed: readonly PersonDue[]): Promise<void> {
  await db.run(again, [failed.map(({ account_id }) => account_id), failed.map(({ patient_key }) => patient_key)]);
  await deletePersonDue(db, failed);
}

const keys = sql<[account_id: string, patient_key: number], { person_keys: Buffer[] }>`
select p.person_keys
from patient p
where p.account_id = $1 and p.patient_key = $2 and p.person_keys is not null`;
const links = sql<[account_id: string, patient_key: number], { person_keys: Buffer[] }>`
select coalesce(array_agg(l.person_key), '{}') as person_keys
from person_link l
where l.account_id = $1 and l.patient_key = $2`;
const unlink = sql<[account_id: string, patient_key: number, person_keys: Buffer[]]>`
delete from person_link l
where l.account_id = $1 and l.patient_key = $2 and not l.person_key = any($3)`;
const link = sql<[account_id: string, patient_key: number, person_keys: Buffer[]]>`
insert into person_link (environment, person_key, account_id, patient_key)
select a.environment, k.person_key, $1, $2
from account a, unnest($3::bytea[]) as k(person_key)
where a.account_id = $1
on conflict do nothing`;
/**
 * Does what the trigger `link_person` does where accounts are on one server. It writes only if the keys changed, because such a
 * write goes to each server.
 */
export async function linkPatient(db: Database, account_id: string, patient_key: number): Promise<void> {
  const wanted = (await db.row(keys, [account_id, patient_key]))?.person_keys;
  if (wanted === undefined) return;
  const present = (await db.row(links, [account_id, patient_key]))!.person_keys;
  if (textOf(present) === textOf(wanted)) return;
  await db.transaction(async (tx) => {
    await tx.run(unlink, [account_id, patient_key, wanted]);
    await tx.run(link, [account_id, patient_key, wanted]);
  });
}
const textOf = (all: readonly Buffer[]) => [...new Set(all.map((one) => one.toString("hex")))].sort().join();

const shared = sql<[account_id: string, patient_key: number], { shared: boolean }>`
select exists (
  select
  from person_link own
  join person_link other on other.environment = own.environment and other.person_key = own.person_key
    and other.account_id <> own.account_id
  where own.account_id = $1 and own.patient_key = $2) as shared`;
/** Whether another partner knows the person. */
export const isShared = async (db: Queryable, account_id: string, patient_key: number) =>
  (await db.row(shared, [account_id, patient_key]))!.shared;

const openOrders = sql<
  [account_id: string, patient_key: number, most: number],
  { account_id: string; order_number: string }
>`
select distinct i.account_id, i.order_number
from person_link own
join person_link other on other.environment = own.environment and other.person_key = own.person_key
join order_item i on i.account_id = other.account_id and i.patient_key = other.patient_key and i.pending
where own.account_id = $1 and own.patient_key = $2
order by i.account_id, i.order_number
limit $3`;
/** The orders of a person that have not shipped, at all partners of the environment. */
export const listOrdersOfPerson = (db: Queryable, account_id: string, patient_key: number, most: number) =>
  db.rows(openOrders, [account_id, patient_key, most]);

const withoutKeys = sql<
  [most: number, environment: Environment | null],
  { account_id: string; patient_key: number; revision: number; record_sealed: Buffer }
>`
select p.account_id, p.patient_key, p.revision, p.record_sealed
from patient p
join account a on a.account_id = p.account_id
where p.person_keys is null and ($2::text is null or a.environment = $2)
limit $1`;
/** Patients from before these keys existed, of one environment or of both. */
export const listWithoutKeys = (db: Queryable, most: number, environment: Environment | null) =>
  db.rows(withoutKeys, [most, environment]);

const setKeys = sql<[account_id: string, patient_key: number, revision: number, person_keys: Buffer[]]>`
update patient
set person_keys = $4
where account_id = $1 and patient_key = $2 and revision = $3`;
/** Does nothing if the patient changed: then the change set the keys. */
export const savePersonKeys = (
  db: Queryable,
  account_id: string,
  patient_key: number,
  revision: number,
  person_keys: Buffer[],
) => db.run(setKeys, [account_id, patient_key, revision, person_keys]);
