import type { ContinuityEntry, ExceptionId, OrderStatus, Workflow } from "@pestle/contract";
import type { PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { type Queryable, statementOf } from "../db.ts";
import { partialFill } from "./partial-fill.ts";

/** The last item of a page. */
export type SupplyPosition = { supply_ends_at: Date; order_number: string; item_id: number };

/** What decides on the next fill; it needs nothing that the prescriber wrote in words. */
type NextPrescription = Pick<
  PrescriptionFact,
  | "prescription_id"
  | "active"
  | "acceptance"
  | "drug_name"
  | "ndc"
  | "gcn"
  | "written_date"
  | "effective_date"
  | "written_qty"
  | "days_supply"
  | "refills"
  | "drug_schedule"
  | "units_ordered"
  | "partial"
> & { expires_at: string };

export type SupplyRow = SupplyPosition & {
  sku: string;
  patient_key: number;
  id_sealed: Buffer;
  ship_state: string | null;
  workflow: Workflow;
  clock_offset_s: number;
  prescription: NextPrescription;
  schedule: ContinuityEntry["schedule"];
  open_order: { order_number: string; order_status: OrderStatus; exception_ids: ExceptionId[] } | null;
};

const supplies = statementOf<
  [
    account_id: string,
    now: Date,
    lapsed_days: number,
    within_days: number,
    supply_ends_at: Date,
    order_number: string,
    item_id: number,
    most: number,
  ],
  SupplyRow
>(`
select i.supply_ends_at, i.order_number, i.item_id, i.sku, i.patient_key, p.id_sealed, o.ship_state, a.workflow,
  a.clock_offset_s, n.prescription, n.schedule, w.open_order
from order_item i
join account a on a.account_id = i.account_id
join orders o on o.account_id = i.account_id and o.order_number = i.order_number
join patient p on p.account_id = i.account_id and p.patient_key = i.patient_key
join prescription f on f.account_id = i.account_id and f.prescription_id = i.prescription_id
  and f.days_supply is not null
join lateral (
  select json_build_object(
    'prescription_id', r.prescription_id, 'active', r.active, 'acceptance', r.acceptance, 'drug_name', r.drug_name,
    'ndc', r.ndc, 'gcn', r.gcn, 'written_date', r.written_date, 'effective_date', r.effective_date,
    'expires_at', r.expires_at, 'written_qty', r.written_qty, 'days_supply', r.days_supply, 'refills', r.refills,
    'drug_schedule', r.drug_schedule, 'units_ordered', r.units_ordered,
    'partial', case when r.drug_schedule = '2' then ${partialFill("r")} end)
    as prescription,
    (select json_build_object('schedule_id', g.schedule_id, 'status', g.status, 'fill_on', g.next_fill_on)
     from refill_schedule g
     where g.account_id = r.account_id and g.prescription_id = r.prescription_id and g.status <> 'canceled')
    as schedule
  from prescription r
  where r.account_id = i.account_id and r.patient_key = i.patient_key and r.active
    and (r.prescription_id = i.prescription_id or r.gcn = i.gcn or r.ndc = i.ndc)
  order by r.units_ordered < r.units_authorized and r.expires_at > i.supply_ends_at desc,
    r.received_at desc, r.prescription_id desc
  limit 1) n on true
left join lateral (
  select json_build_object(
    'order_number', t.order_number, 'order_status', t.order_status, 'exception_ids', t.exception_ids) as open_order
  from order_item s
  join orders t on t.account_id = s.account_id and t.order_number = s.order_number
  where s.account_id = i.account_id and s.patient_key = i.patient_key and s.pending
    and (s.prescription_id = i.prescription_id or s.gcn = i.gcn)
  order by t.order_position
  limit 1) w on true
where i.account_id = $1
  and i.supply_ends_at >= (
    select $2::timestamptz + make_interval(secs => c.clock_offset_s, days => -$3::integer)
    from account c
    where c.account_id = $1)
  and i.supply_ends_at <= (
    select $2::timestamptz + make_interval(secs => c.clock_offset_s, days => $4::integer)
    from account c
    where c.account_id = $1)
  and (i.supply_ends_at, i.order_number, i.item_id) > ($5, $6, $7)
  and not exists (
    select
    from shipment l
    where l.account_id = i.account_id and l.order_number = i.order_number and l.status in ('lost', 'returned'))
  and not exists (
    select
    from order_item s
    where s.account_id = i.account_id and s.patient_key = i.patient_key and s.supply_ends_at >= i.supply_ends_at
      and (s.supply_ends_at, s.order_number, s.item_id) > (i.supply_ends_at, i.order_number, i.item_id)
      and (s.prescription_id = i.prescription_id or s.gcn = i.gcn)
      and not exists (
        select
        from shipment l
        where l.account_id = s.account_id and l.order_number = s.order_number and l.status in ('lost', 'returned')))
order by i.supply_ends_at, i.order_number, i.item_id
limit $8`);
/**
 * The last fill of each medication whose supply ends around now, by the account's clock, after a position. A parcel that
 * was lost or returned is no supply. A newer prescription for the same medication is the one of the next fill.
 */
export const listSupplies = (
  db: Queryable,
  account_id: string,
  asked: { now: Date; lapsed_days: number; within_days: number; after: SupplyPosition; most: number },
) =>
  db.rows(supplies, [
    account_id,
    asked.now,
    asked.lapsed_days,
    asked.within_days,
    asked.after.supply_ends_at,
    asked.after.order_number,
    asked.after.item_id,
    asked.most,
  ]);

/** Before every item. */
export const FIRST_SUPPLY: SupplyPosition = { supply_ends_at: new Date(0), order_number: "", item_id: 0 };
