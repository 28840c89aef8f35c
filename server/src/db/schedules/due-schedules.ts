import type { Environment, MedicationDispense } from "@pestle/contract";
import { type Queryable, sql, statementOf } from "../db.ts";
import { SCHEDULE_COLUMNS, SCHEDULE_JOINED, type ScheduleRow } from "./schedules.ts";

export type ScheduleAccount = { account_id: string; environment: Environment; clock_offset_s: number };

const accounts = sql<[account_id: string | null, environment: Environment | null, now: Date], ScheduleAccount>`
select a.account_id, a.environment, a.clock_offset_s
from each_account a
where ($1::text is null or a.account_id = $1) and ($2::text is null or a.environment = $2) and exists (
  select
  from refill_schedule s
  where s.account_id = a.account_id and s.due_at <= $3::timestamptz + make_interval(secs => a.clock_offset_s))`;
/** Accounts with schedules that are due by their clocks. With `account_id` or `environment`, only those. */
export const listScheduleAccounts = (
  db: Queryable,
  account_id: string | null,
  environment: Environment | null,
  now: Date,
) => db.rows(accounts, [account_id, environment, now]);

const due = statementOf<[account_id: string, now: Date, most: number], ScheduleRow>(`
select ${SCHEDULE_COLUMNS}
from refill_schedule s
${SCHEDULE_JOINED}
where s.account_id = $1 and s.due_at <= $2
  and not (a.workflow = 'automatic' and r.order_due_at is not null and s.notified_for is not distinct from s.next_fill_on)
order by s.due_at, s.schedule_position
limit $3`);
/** Schedules with work to do by now. Automatic Processing orders a first fill, so a schedule does not. */
export const listDueSchedules = (db: Queryable, account_id: string, now: Date, most: number) =>
  db.rows(due, [account_id, now, most]);

const dispenses = sql<
  [account_id: string, prescription_id: number],
  Omit<MedicationDispense, "shipment"> & { shipment: MedicationDispense["shipment"] }
>`
select i.dispense_id, i.order_number, o.order_status, coalesce(i.ndc, '') as ndc, i.quantity,
  i.package_size::float8 as package_size, (
    select json_build_object(
      'tracking_no', s.tracking_no, 'tracking_url', s.tracking_url, 'carrier', s.carrier, 'method', s.method,
      'status', s.status, 'shipped_at', s.shipped_at, 'delivered_at', s.delivered_at)
    from shipment s
    where s.account_id = o.account_id and s.order_number = o.order_number
    order by s.shipment_id desc
    limit 1) as shipment
from order_item i
join orders o on o.account_id = i.account_id and o.order_number = i.order_number
where i.account_id = $1 and i.prescription_id = $2 and i.removed_at is null
order by o.order_position, i.item_id`;
/** The fills of a prescription so far. */
export const listDispenses = (db: Queryable, account_id: string, prescription_id: number) =>
  db.rows(dispenses, [account_id, prescription_id]);

const open = sql<[account_id: string], { order_number: string }>`
select o.order_number
from refill_schedule s
join orders o on o.account_id = s.account_id and o.order_number = s.last_order_number
where s.account_id = $1 and o.order_status in ('Processing', 'Filling')
order by o.order_number`;
/** The orders of schedules that the pharmacy is working on. */
export const listOpenFills = (db: Queryable, account_id: string) => db.rows(open, [account_id]);
