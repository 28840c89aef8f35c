import type { DrugSchedule } from "@pestle/contract";
import { type Queryable, sql, statementOf } from "../db.ts";

/** Item data for printouts, in addition to the data for deciding on a change. */
export type PrintedItem = {
  item_id: number;
  name: string;
  cold_chain: boolean;
  drug_schedule: DrugSchedule;
  unit: string | null;
  /** The first fill of the prescription that has shipped; null if none has. */
  first_filled_at: string | null;
  /** What came with the prescription, in base64. */
  details_sealed: string | null;
};
const printed = sql<
  [account_id: string, order_number: string],
  { filled_at: Date | null; brand_name: string | null; pharmacist_name: string | null; items: PrintedItem[] }
>`
select (
    select max(h.at)
    from order_history h
    where h.account_id = o.account_id and h.order_number = o.order_number and h.event = 'complete_fill') as filled_at,
  (
    select b.name
    from brand b
    where b.account_id = o.account_id and b.id = o.brand_id) as brand_name,
  (
    select w.name
    from order_history h
    join person w on w.person_id = h.person_id
    where h.account_id = o.account_id and h.order_number = o.order_number and h.event = 'verify_product'
    order by h.history_position desc
    limit 1) as pharmacist_name,
  (
    select json_agg(json_build_object('item_id', i.item_id, 'name', p.name, 'cold_chain', p.cold_chain,
      'drug_schedule', coalesce(r.drug_schedule, p.drug_schedule), 'unit', r.unit,
      'details_sealed', translate(encode(r.details_sealed, 'base64'), E'\\n', ''), 'first_filled_at', (
        select min(h.at)
        from order_item e
        join order_history h on h.account_id = e.account_id and h.order_number = e.order_number
        where e.account_id = i.account_id and e.prescription_id = i.prescription_id and e.shipped_at is not null
          and h.event = 'complete_fill')) order by i.item_id)
    from order_item i
    join product p on p.account_id = i.account_id and p.sku = i.sku
    left join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id
    where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null) as items
from orders o
where o.account_id = $1 and o.order_number = $2`;
/** Includes retired products and brands. */
export const loadPrinted = (db: Queryable, account_id: string, order_number: string) =>
  db.row(printed, [account_id, order_number]);

export type LotRow = {
  order_number: string;
  order_status: string;
  patient_key: number;
  id_sealed: Buffer;
  record_sealed: Buffer;
  sku: string;
  lot: string;
  lot_expires_on: string;
  units: number;
  shipped_at: Date | null;
  told_at: Date | null;
};
const ofLot = sql<[account_id: string, lot: string, sku: string | null], LotRow>`
select i.order_number, o.order_status, i.patient_key, p.id_sealed, p.record_sealed, i.sku, l.lot,
  l.expires_on::text as lot_expires_on, l.units::float8 as units, i.shipped_at, (
    select n.told_at
    from recall_notice n
    where n.account_id = i.account_id and n.order_number = i.order_number and n.lot = upper($2)) as told_at
from item_lot l
join order_item i on i.account_id = l.account_id and i.order_number = l.order_number and i.item_id = l.item_id
join orders o on o.account_id = i.account_id and o.order_number = i.order_number
join patient p on p.account_id = i.account_id and p.patient_key = i.patient_key
-- Ignores spelling.
where l.account_id = $1 and upper(l.lot) = upper($2) and ($3::text is null or i.sku = $3)
  and i.removed_at is null and o.order_status <> 'Canceled'
order by i.shipped_at nulls last, i.order_number, i.item_id`;
/** Shipped and open order items filled from a lot. */
export const listOfLot = (db: Queryable, account_id: string, lot: string, sku: string | null) =>
  db.rows(ofLot, [account_id, lot, sku]);

export type ControlledRow = {
  dispense_id: number;
  order_number: string;
  patient_key: number;
  record_sealed: Buffer;
  address_sealed: Buffer | null;
  payer: "partner" | "patient";
  prescription_id: number;
  written_date: string;
  refills: number;
  /** The units of each dispensing of the prescription up to this one, oldest first. */
  dispensed: number[];
  filled_at: Date;
  shipped_at: Date;
  ndc: string;
  units: number;
  unit: string | null;
  days_supply: number | null;
  written_qty: number;
  written_sealed: Buffer | null;
  sig_text: string;
  prescriber_name: string;
  prescriber_npi: string | null;
  prescriber_dea: string | null;
  prescriber_phone: string | null;
  /** Of the person who checked the product. */
  pharmacist_npi: string | null;
  pharmacist_license: string | null;
};
/** For order items with the alias `i`. */
const CONTROLLED_COLUMNS = `
select i.dispense_id, i.order_number, i.patient_key, p.record_sealed, o.address_sealed, o.payer, i.prescription_id,
  r.written_date::text as written_date, r.refills,
  (
    select json_agg(e.units order by e.shipped_at, e.dispense_id)
    from order_item e
    where e.account_id = i.account_id and e.prescription_id = i.prescription_id
      and (e.shipped_at, e.dispense_id) <= (i.shipped_at, i.dispense_id)) as dispensed,
  coalesce((
    select max(h.at)
    from order_history h
    where h.account_id = i.account_id and h.order_number = i.order_number and h.event = 'complete_fill'),
    i.shipped_at) as filled_at,
  i.shipped_at, coalesce(i.ndc, '') as ndc, i.units::float8 as units, r.unit, r.days_supply,
  r.written_qty::float8 as written_qty, r.sig_text, r.written_sealed, r.prescriber_name, r.prescriber_npi, r.prescriber_dea,
  r.prescriber_phone, w.npi as pharmacist_npi, w.license_number as pharmacist_license
from order_item i
join orders o on o.account_id = i.account_id and o.order_number = i.order_number
join patient p on p.account_id = i.account_id and p.patient_key = i.patient_key
join product q on q.account_id = i.account_id and q.sku = i.sku
join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id
left join person w on w.person_id = (
  select h.person_id
  from order_history h
  where h.account_id = i.account_id and h.order_number = i.order_number and h.event = 'verify_product'
  order by h.history_position desc
  limit 1)`;
const CONTROLLED = "(q.drug_schedule <> '0' or r.drug_schedule <> '0')";

const controlled = statementOf<[account_id: string, from: Date, before: Date], ControlledRow>(`
${CONTROLLED_COLUMNS}
where i.account_id = $1 and i.shipped_at >= $2 and i.shipped_at < $3 and ${CONTROLLED}
order by i.shipped_at, i.dispense_id`);
/** Controlled substances shipped between two times. */
export const listControlled = (db: Queryable, account_id: string, from: Date, before: Date) =>
  db.rows(controlled, [account_id, from, before]);

const controlledOf = statementOf<[account_id: string, order_number: string], ControlledRow>(`
${CONTROLLED_COLUMNS}
where i.account_id = $1 and i.order_number = $2 and i.shipped_at is not null and ${CONTROLLED}
order by i.item_id`);
/** The shipped controlled substances of an order. */
export const listControlledOf = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(controlledOf, [account_id, order_number]);
