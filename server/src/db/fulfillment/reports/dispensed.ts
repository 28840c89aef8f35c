import type { DrugSchedule } from "@pestle/contract";
import { type Queryable, statementOf } from "../../db.ts";

/** A shipped prescription, with patient and prescriber still sealed. */
export type DispensedRow = {
  dispense_id: number;
  order_number: string;
  prescription_id: number;
  patient_key: number;
  record_sealed: Buffer;
  shipped_at: Date;
  ship_state: string | null;
  drug_name: string;
  drug_schedule: DrugSchedule;
  ndc: string;
  units: number;
  /** All lots of the item, the first to expire first. */
  lots: string | null;
  written_qty: number;
  refills: number;
  written_sealed: Buffer | null;
  prescriber_name: string | null;
  /** The units of each dispensing of the prescription up to this one, oldest first. */
  dispensed: number[];
  filled_by: string | null;
  checked_by: string | null;
};

const whoDid = (event: "complete_fill" | "verify_product") => `(
    select coalesce(w.name, h.person_id)
    from order_history h
    left join person w on w.person_id = h.person_id
    where h.account_id = i.account_id and h.order_number = i.order_number and h.event = '${event}'
    order by h.history_position desc
    limit 1)`;

const dispensed = statementOf<
  [account_id: string, after_at: Date, after_id: number, before: Date, limit: number],
  DispensedRow
>(`
select i.dispense_id, i.order_number, i.prescription_id, i.patient_key, c.record_sealed, i.shipped_at, o.ship_state,
  q.name as drug_name, case when r.drug_schedule <> '0' then r.drug_schedule else q.drug_schedule end as drug_schedule,
  coalesce(i.ndc, '') as ndc, i.units::float8 as units, r.written_qty::float8 as written_qty, r.refills,
  r.written_sealed, r.prescriber_name,
  (
    select string_agg(l.lot, ', ' order by l.expires_on, l.lot)
    from item_lot l
    where l.account_id = i.account_id and l.order_number = i.order_number and l.item_id = i.item_id) as lots,
  (
    select json_agg(e.units order by e.shipped_at, e.dispense_id)
    from order_item e
    where e.account_id = i.account_id and e.prescription_id = i.prescription_id
      and (e.shipped_at, e.dispense_id) <= (i.shipped_at, i.dispense_id)) as dispensed,
  ${whoDid("complete_fill")} as filled_by,
  ${whoDid("verify_product")} as checked_by
from order_item i
join orders o on o.account_id = i.account_id and o.order_number = i.order_number
join patient c on c.account_id = i.account_id and c.patient_key = i.patient_key
join product q on q.account_id = i.account_id and q.sku = i.sku
join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id
where i.account_id = $1 and i.shipped_at >= $2 and (i.shipped_at, i.dispense_id) > ($2, $3) and i.shipped_at < $4
order by i.shipped_at, i.dispense_id
limit $5`);
/** Prescriptions that shipped before a time, after a place: the time and number of the last row. */
export const listDispensed = (
  db: Queryable,
  account_id: string,
  after: { at: Date; dispense_id: number },
  before: Date,
  limit: number,
) => db.rows(dispensed, [account_id, after.at, after.dispense_id, before, limit]);
