import type { Environment } from "@pestle/contract";
import type { FillReport } from "../../domain/prescribers/fill-notice.ts";
import { type Queryable, sql } from "../db.ts";

type NotifiedAccount = { account_id: string; clock_offset_s: number };
const accounts = sql<[account_id: string | null, environment: Environment | null], NotifiedAccount>`
select a.account_id, a.clock_offset_s
from each_account a
where ($1::text is null or a.account_id = $1) and ($2::text is null or a.environment = $2) and exists (
  select
  from prescriber_route t
  where t.account_id = a.account_id and t.sends_fills)`;
/** The accounts with a sender that wants a notice of each fill. */
export const listNotifiedAccounts = (
  db: Queryable,
  account_id: string | null = null,
  environment: Environment | null = null,
) => db.rows(accounts, [account_id, environment]);

/** A fill that ended, and of which its sender has no notice yet. */
type UnreportedFill = {
  order_number: string;
  prescription_id: number;
  sender: string;
  fill: FillReport;
  units: number;
};
const unreported = sql<[account_id: string, since: Date, most: number], UnreportedFill>`
select e.order_number, e.prescription_id, e.sender, e.fill, e.units
from (
  select o.account_id, o.order_number, i.prescription_id, r.sender, r.fill_reports, sum(i.units)::float8 as units,
    case
      when min(i.shipped_at) is null then 'not_dispensed'
      when (
        select s.status
        from shipment s
        where s.account_id = o.account_id and s.order_number = o.order_number
        order by s.shipment_id desc
        limit 1) = 'returned' then 'returned'
      when sum(i.units) < r.written_qty then 'partially_dispensed'
      else 'dispensed'
    end as fill
  from prescriber_route t
  join orders o on o.account_id = t.account_id and o.updated_at >= greatest(t.created_at, $2)
    and o.order_status in ('Shipped', 'Delivered', 'Canceled')
  join order_item i on i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null
  join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id and r.sender = t.sender
  where t.account_id = $1 and t.sends_fills
  group by o.account_id, o.order_number, i.prescription_id, r.sender, r.fill_reports, r.written_qty) e
where (e.fill_reports is null or e.fill = any(e.fill_reports)) and not exists (
  select
  from prescriber_message m
  where m.account_id = e.account_id and m.order_number = e.order_number and m.prescription_id = e.prescription_id
    and m.fill = e.fill and m.kind = 'fill')
limit $3`;
export const listUnreportedFills = (db: Queryable, account_id: string, since: Date, most: number) =>
  db.rows(unreported, [account_id, since, most]);

const insert = sql<
  [
    account_id: string,
    message_id: string,
    sender: string,
    prescription_id: number,
    order_number: string,
    fill: FillReport,
    created_at: Date,
    asked_sealed: Buffer,
  ]
>`
insert into prescriber_message (account_id, message_id, kind, state, sender, prescription_id, order_number, fill,
  created_at, due_at, asked_sealed)
values ($1, $2, 'fill', 'queued', $3, $4, $5, $6, $7, $7, $8)
on conflict do nothing`;
/** Queues a notice, once for each order, prescription and report. */
export const insertFillNotice = (
  db: Queryable,
  row: UnreportedFill & { account_id: string; message_id: string; created_at: Date; asked_sealed: Buffer },
) =>
  db.run(insert, [
    row.account_id,
    row.message_id,
    row.sender,
    row.prescription_id,
    row.order_number,
    row.fill,
    row.created_at,
    row.asked_sealed,
  ]);
