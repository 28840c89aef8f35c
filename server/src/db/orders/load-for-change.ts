import type { Environment, ExceptionId } from "@pestle/contract";
import type { PartialFill } from "../../domain/fulfillment/controlled-rules.ts";
import type { ItemDetails } from "../../domain/orders/order-change.ts";
import { type Queryable, statementOf } from "../db.ts";
import { ORDER_COLUMNS, type OrderRow } from "./orders.ts";
import { partialFill } from "./partial-fill.ts";
import type { FillRow } from "./place-order.ts";

/** The data for deciding on a change, in addition to the order itself. */
export type ChangingRow = OrderRow & {
  environment: Environment;
  custom_label_sealed: Buffer | null;
  payment_reference: string | null;
  payment_attempt: number;
  filled_by: string | null;
  safety_sealed: Buffer | null;
  claimed_by: string | null;
  claimed_until: Date | null;
  patient: { record_sealed: string; revision: number };
  details: ItemDetails[];
  holds: { id: ExceptionId; basis: string | null }[];
  confirmed: { id: ExceptionId; confirmed: string }[];
  fills: FillRow[];
  /** Only of schedule 2 prescriptions. */
  partials: { prescription_id: number; partial: PartialFill }[];
  last_shipment: {
    shipment_id: number;
    next_scan_at: string | null;
    /** What the carrier has told so far, oldest first. */
    scans: { at: string; status: string }[];
  } | null;
};
const changing = statementOf<[account_id: string, order_number: string, taken_since: Date], ChangingRow>(`
with taken as (
  select i.*
  from orders o
  join order_item i on i.account_id = o.account_id and i.patient_key = o.patient_key and i.pending
    and i.order_number <> o.order_number
  where o.account_id = $1 and o.order_number = $2
  union all
  select i.*
  from orders o
  join account a on a.account_id = o.account_id
  join order_item i on i.account_id = o.account_id and i.patient_key = o.patient_key and i.order_number <> o.order_number
    and i.supply_ends_at > $3::timestamptz + make_interval(secs => a.clock_offset_s)
  where o.account_id = $1 and o.order_number = $2
)
select ${ORDER_COLUMNS}, a.environment, o.label_sealed as custom_label_sealed, o.payment_reference, o.payment_attempt,
  o.filled_by, o.claimed_by, o.claimed_until, o.safety_sealed,
  (
    select json_build_object('revision', p.revision,
      'record_sealed', translate(encode(p.record_sealed, 'base64'), E'\n', ''))
    from patient p
    where p.account_id = o.account_id and p.patient_key = o.patient_key) as patient,
  (
    select json_agg(json_build_object('item_id', i.item_id, 'units', i.units, 'reserved', i.reserved,
      'price_cents', i.price_cents, 'lot', i.lot,
      'lot_expires_on', i.lot_expires_on, 'lots', coalesce((
        select json_agg(json_build_object('lot', l.lot, 'expires_on', l.expires_on, 'units', l.units,
          'shelf_units', l.shelf_units) order by l.expires_on, l.lot)
        from item_lot l
        where l.account_id = i.account_id and l.order_number = i.order_number and l.item_id = i.item_id), '[]'),
      'ingredients', p.ingredients, 'is_drug', p.is_drug) order by i.item_id)
    from order_item i
    join product p on p.account_id = i.account_id and p.sku = i.sku
    where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null) as details,
  coalesce((
    select json_agg(json_build_object('id', e.exception_id, 'basis', e.basis))
    from order_exception e
    where e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null), '[]') as holds,
  coalesce((
    select json_agg(json_build_object('id', e.exception_id, 'confirmed', e.confirmed) order by e.occurrence)
    from order_exception e
    where e.account_id = o.account_id and e.order_number = o.order_number and e.confirmed is not null), '[]')
    as confirmed,
  coalesce((
    select json_agg(json_build_object(
      'order_number', i.order_number, 'prescription_id', i.prescription_id, 'gcn', i.gcn, 'shipped_at', i.shipped_at,
      'ingredients', p.ingredients, 'units', i.units, 'days_supply', r.days_supply, 'written_qty', r.written_qty,
      'ordered_at', t.created_at, 'held_by', t.exception_ids))
    from taken i
    join orders t on t.account_id = i.account_id and t.order_number = i.order_number
    join product p on p.account_id = i.account_id and p.sku = i.sku
    left join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id), '[]') as fills,
  coalesce((
    select json_agg(json_build_object('prescription_id', i.prescription_id,
      'partial', ${partialFill("i")}))
    from order_item i
    join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id
      and r.drug_schedule = '2'
    where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null), '[]') as partials,
  (
    select json_build_object('shipment_id', s.shipment_id, 'next_scan_at', s.next_scan_at, 'scans', coalesce((
        select json_agg(json_build_object('at', c.at, 'status', c.status) order by c.at, c.status)
        from shipment_scan c
        where c.account_id = s.account_id and c.order_number = s.order_number and c.shipment_id = s.shipment_id), '[]'))
    from shipment s
    where s.account_id = o.account_id and s.order_number = o.order_number
    order by s.shipment_id desc
    limit 1) as last_shipment
from orders o
join account a on a.account_id = o.account_id
where o.account_id = $1 and o.order_number = $2`);
/**
 * Loads an order with all data for deciding on a change, in one statement. `taken_since` is real time. A medication
 * whose supply ran out earlier, by the account's clock, is no longer current.
 */
export const loadForChange = (db: Queryable, account_id: string, order_number: string, taken_since: Date) =>
  db.row(changing, [account_id, order_number, taken_since]);
