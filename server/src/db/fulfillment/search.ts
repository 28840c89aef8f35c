import type { SearchHit } from "@pestle/contract";
import type { ProductQuestion } from "../../domain/fulfillment/search-question.ts";
import { type Queryable, statementOf } from "../db.ts";
import { WHOSE_AND_WHAT } from "./queue.ts";

/** A search hit with the patient record still sealed. */
export type FoundRow = Omit<SearchHit, "by" | "patient_initials" | "created_at"> & {
  patient_key: number;
  record_sealed: Buffer;
  reference_sealed: Buffer | null;
  created_at: Date;
};

const COLUMNS = `
  a.account_id, p.name as partner, a.environment, o.order_number, o.order_status, o.stage, o.reference, o.reference_sealed,
  o.created_at,
  o.patient_key, ${WHOSE_AND_WHAT}`;

/**
 * Pairs `k` of an account in the array $1 and a value at the same place of another array. They start from the row of each
 * account that is with the account's other rows, so that a server that has some of the accounts visits those.
 */
const keysOf = (values: string, name: string) => `(
  select h.account_id, (${values})[unnest(array_positions($1::text[], h.account_id))] as ${name}
  from account_home h
  where h.account_id = any($1::text[])) k`;

/** Probes each account's index and keeps the newest hits. Never scans a table. */
const inEveryAccount = (found: string) => `
select ${COLUMNS}
from each_account a
join partner p on p.partner_id = a.partner_id
cross join lateral (${found}) o
order by o.order_position desc
limit $2`;

/** The newest orders `o` of a patient `w`. */
const NEWEST_OF_PATIENT = `cross join lateral (
  select o.*
  from orders o
  where o.account_id = w.account_id and o.patient_key = w.patient_key
  order by o.order_position desc
  limit 51) o`;

const searches = {
  order_number: statementOf<[value: string, most: number], FoundRow>(
    inEveryAccount(`
  select o.*
  from orders o
  where o.account_id = a.account_id and o.order_number = $1
  limit 1`),
  ),
  // Order numbers have digits and capital letters, so every collation sorts them between these two.
  order_prefix: statementOf<[value: string, most: number], FoundRow>(
    inEveryAccount(`
  select o.*
  from orders o
  where o.account_id = a.account_id and o.order_number >= $1 and o.order_number <= rpad($1, 10, 'Z')
  order by o.order_number
  limit 11`),
  ),
  tracking_no: statementOf<[value: string, most: number], FoundRow>(
    inEveryAccount(`
  select o.*
  from orders o
  where o.account_id = a.account_id and o.order_number = any(array(
    select s.order_number
    from shipment s
    where s.account_id = a.account_id and s.tracking_no = $1
    limit 51))`),
  ),
  prescription_id: statementOf<[value: number, most: number], FoundRow>(
    inEveryAccount(`
  select o.*
  from orders o
  where o.account_id = a.account_id and o.order_number = any(array(
    select i.order_number
    from order_item i
    where i.account_id = a.account_id and i.prescription_id = $1
    limit 51))`),
  ),
} as const;
const byLot = statementOf<[lots: readonly string[], most: number], FoundRow>(
  inEveryAccount(`
  select o.*
  from orders o
  where o.account_id = a.account_id and o.order_number = any(array(
    select l.order_number
    from item_lot l
    where l.account_id = a.account_id and upper(l.lot) = any($1)
    limit 51))`),
);
/** Orders that were filled from a lot. The lots are in upper case. */
export const findByLot = (db: Queryable, lots: readonly string[], most: number) => db.rows(byLot, [lots, most]);

export const findBy = (db: Queryable, by: keyof typeof searches, value: string | number, most: number) =>
  db.rows(searches[by] as (typeof searches)["tracking_no"], [value as string, most]);

const byReference = statementOf<[account_ids: readonly string[], indexes: readonly Buffer[], most: number], FoundRow>(`
select ${COLUMNS}
from ${keysOf("$2::bytea[]", "reference_index")}
join account a on a.account_id = k.account_id
join partner p on p.partner_id = a.partner_id
cross join lateral (
  select o.*
  from orders o
  where o.account_id = k.account_id and o.reference_index = k.reference_index
  order by o.order_position desc
  limit 51) o
order by o.order_position desc
limit $3`);
export type ReferenceKey = { account_id: string; reference_index: Buffer };
/** Orders by the blind index of the partner's own id, which differs per account. */
export const findByReference = (db: Queryable, keys: readonly ReferenceKey[], most: number) =>
  db.rows(byReference, [
    keys.map(({ account_id }) => account_id),
    keys.map(({ reference_index }) => reference_index),
    most,
  ]);

const byProduct = statementOf<
  [skus: readonly string[], most: number, ndc: string | null, name: string, name_end: string],
  FoundRow
>(
  inEveryAccount(`
  select o.*
  from orders o
  where o.account_id = a.account_id and o.order_number = any(array(
    select i.order_number
    from (
      select d.account_id, d.sku
      from (
        (select s.account_id, s.sku
        from product s
        where s.account_id = a.account_id and s.sku = any($1))
        union
        (select n.account_id, n.sku
        from product n
        where n.account_id = a.account_id and n.ndc = $3)
        union
        (select b.account_id, b.sku
        from product b
        where b.account_id = a.account_id and lower(b.name) collate "C" >= $4 and lower(b.name) collate "C" < $5
        order by lower(b.name) collate "C"
        limit 3)) d
      limit 3) d
    cross join lateral (
      (select e.order_number
      from stock_entry e
      where e.account_id = d.account_id and e.sku = d.sku and e.order_number is not null
      order by e.stock_entry_id desc
      limit 20)
      union
      (select w.order_number
      from order_item w
      where w.account_id = d.account_id and w.sku = d.sku and w.pending and not w.reserved
      limit 20)) e
    join order_item i on i.account_id = d.account_id and i.order_number = e.order_number and i.sku = d.sku
      and i.removed_at is null))`),
);
/** The last character of Unicode, so that a text with it is behind every text that begins alike. */
const LAST = "\u{10FFFF}";
/**
 * The newest orders of the first few products of each account that match. The stock ledger has them in order; those that
 * wait for stock are not in it.
 */
export const findByProduct = (db: Queryable, { skus, ndc, name }: ProductQuestion, most: number) =>
  db.rows(byProduct, [skus, most, ndc, name, `${name}${LAST}`]);

/** The blind indexes of a patient: name and date of birth, the partner's id, phone number, email address. */
const peopleIndexes = ["name_dob_index", "id_index", "phone_index", "email_index"] as const;
export type PeopleIndex = (typeof peopleIndexes)[number];
const peopleBy = (column: PeopleIndex) => `
from ${keysOf("$2::bytea[]", "blind")}
join account a on a.account_id = k.account_id
join partner p on p.partner_id = a.partner_id
cross join lateral (
  select w.account_id, w.patient_key, w.record_sealed
  from patient w
  where w.account_id = k.account_id and w.${column} = k.blind
  limit 51) w`;
type PeopleParams = [account_ids: readonly string[], indexes: readonly Buffer[], most: number];
export type PersonKey = { account_id: string; blind: Buffer };
const peopleParams = (keys: readonly PersonKey[], most: number): PeopleParams => [
  keys.map(({ account_id }) => account_id),
  keys.map(({ blind }) => blind),
  most,
];

const ofPeople = indexed(
  (column) => `
select ${COLUMNS}${peopleBy(column)}
${NEWEST_OF_PATIENT}
order by o.order_position desc
limit $3`,
);
/** The newest orders of the patients that a blind index finds. */
export const findByPeople = (db: Queryable, column: PeopleIndex, keys: readonly PersonKey[], most: number) =>
  db.rows(ofPeople[column], peopleParams(keys, most));

/** The same statement for each index. */
function indexed(textOf: (column: PeopleIndex) => string) {
  const pairs = peopleIndexes.map((column) => [column, statementOf<PeopleParams, FoundRow>(textOf(column))] as const);
  return Object.fromEntries(pairs) as Record<PeopleIndex, (typeof pairs)[number][1]>;
}

const UNORDERED_COLUMNS = `
  a.account_id, p.name as partner, a.environment, null as order_number, null as order_status, null as stage,
  null as reference, null::bytea as reference_sealed, r.received_at as created_at, r.patient_key, w.record_sealed, array[r.drug_name] as drug_names,
  r.prescription_id, (
    select v.review_id
    from review v
    where v.account_id = r.account_id and v.prescription_id = r.prescription_id and v.resolved_at is null
    order by v.review_id
    limit 1) as review_id`;
const NOT_ORDERED = `not exists (
  select
  from order_item i
  where i.account_id = r.account_id and i.prescription_id = r.prescription_id)`;

const unordered = statementOf<[prescription_id: number], FoundRow>(`
select ${UNORDERED_COLUMNS}
from each_account a
join partner p on p.partner_id = a.partner_id
join prescription r on r.account_id = a.account_id and r.prescription_id = $1
join patient w on w.account_id = r.account_id and w.patient_key = r.patient_key
where ${NOT_ORDERED}`);
/** A prescription without an order. */
export const findUnordered = (db: Queryable, prescription_id: number) => db.rows(unordered, [prescription_id]);

const unorderedOf = indexed(
  (column) => `
select ${UNORDERED_COLUMNS}${peopleBy(column)}
join prescription r on r.account_id = w.account_id and r.patient_key = w.patient_key
where ${NOT_ORDERED}
order by r.received_at desc
limit $3`,
);
/** Prescriptions without an order, of the patients that a blind index finds. */
export const findUnorderedOfPeople = (db: Queryable, column: PeopleIndex, keys: readonly PersonKey[], most: number) =>
  db.rows(unorderedOf[column], peopleParams(keys, most));

/** The blind indexes that many patients share. */
type BroadIndex = "surname_index" | "dob_index";
type FoundPerson = { account_id: string; patient_key: number; record_sealed: Buffer };
const broad = (column: BroadIndex) =>
  statementOf<PeopleParams, FoundPerson>(`
select w.account_id, w.patient_key, w.record_sealed
from ${keysOf("$2::bytea[]", "blind")}
cross join lateral (
  select w.account_id, w.patient_key, w.record_sealed
  from patient w
  where w.account_id = k.account_id and w.${column} = k.blind
  limit $3) w
limit $3`);
const broadly = { surname_index: broad("surname_index"), dob_index: broad("dob_index") };
/** Patients by last name or by date of birth. */
export const findPeople = (db: Queryable, column: BroadIndex, keys: readonly PersonKey[], most: number) =>
  db.rows(broadly[column], peopleParams(keys, most));

type PatientParams = [account_ids: readonly string[], patient_keys: readonly number[], most: number];
/** Few of each, so that many patients fit. */
const ofPatients = statementOf<PatientParams, FoundRow>(`
select ${COLUMNS}
from ${keysOf("$2::bigint[]", "patient_key")}
join account a on a.account_id = k.account_id
join partner p on p.partner_id = a.partner_id
cross join lateral (
  select o.*
  from orders o
  where o.account_id = k.account_id and o.patient_key = k.patient_key
  order by o.order_position desc
  limit 3) o
order by o.order_position desc
limit $3`);
const unorderedOfPatients = statementOf<PatientParams, FoundRow>(`
select ${UNORDERED_COLUMNS}
from ${keysOf("$2::bigint[]", "patient_key")}
join account a on a.account_id = k.account_id
join partner p on p.partner_id = a.partner_id
join patient w on w.account_id = k.account_id and w.patient_key = k.patient_key
join prescription r on r.account_id = w.account_id and r.patient_key = w.patient_key
where ${NOT_ORDERED}
order by r.received_at desc
limit $3`);
/** The newest orders of these patients, and then their prescriptions without an order. */
export async function findOfPatients(
  db: Queryable,
  patients: readonly Pick<FoundPerson, "account_id" | "patient_key">[],
  most: number,
): Promise<FoundRow[]> {
  if (patients.length === 0) return [];
  const params: PatientParams = [
    patients.map(({ account_id }) => account_id),
    patients.map(({ patient_key }) => patient_key),
    most,
  ];
  const found = await Promise.all([db.rows(ofPatients, params), db.rows(unorderedOfPatients, params)]);
  return found.flat();
}
