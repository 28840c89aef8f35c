import type { Environment, labelFormats } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

/** The vault's place for a parcel's label. */
export const shipmentLabelPlace = (account_id: string, order_number: string, shipment_id: number) =>
  `shipment.label_sealed ${account_id} ${order_number} ${shipment_id}`;

const accounts = sql<[environment: Environment | null], { account_id: string; clock_offset_s: number }>`
select a.account_id, a.clock_offset_s
from each_account a
where ($1::text is null or a.environment = $1) and exists (
  select
  from shipment s
  where s.account_id = a.account_id and s.next_scan_at is not null)`;
/** Accounts with parcels in transit, of one environment or of both. */
export const listTrackedAccounts = (db: Queryable, environment: Environment | null) => db.rows(accounts, [environment]);

const due = sql<[account_id: string, now: Date, most: number], { order_number: string }>`
select order_number
from shipment
where account_id = $1 and next_scan_at <= $2
order by next_scan_at, order_number
limit $3`;
/** Orders with a parcel whose next carrier check is due. */
export const listDueShipments = (db: Queryable, account_id: string, now: Date, most: number) =>
  db.rows(due, [account_id, now, most]);

const trackedBy = sql<[tracking_no: string, environment: Environment], { account_id: string; order_number: string }>`
select s.account_id, s.order_number
from each_account a
join shipment s on s.account_id = a.account_id and s.tracking_no = $1
where a.environment = $2
limit 10`;
/** The orders whose parcel has this number. Two partners may have sent the same label. */
export const listTrackedBy = (db: Queryable, tracking_no: string, environment: Environment) =>
  db.rows(trackedBy, [tracking_no, environment]);

const label = sql<
  [account_id: string, order_number: string],
  {
    shipment_id: number;
    label_format: (typeof labelFormats)[number];
    label_sealed: Buffer;
    tracking_url: string | null;
  }
>`
select shipment_id, label_format, label_sealed, tracking_url
from shipment
where account_id = $1 and order_number = $2
order by shipment_id desc
limit 1`;
export const loadShipmentLabel = (db: Queryable, account_id: string, order_number: string) =>
  db.row(label, [account_id, order_number]);

const note = sql<
  [account_id: string, order_number: string, shipment_id: number, next_scan_at: Date | null, scans: string]
>`
with kept as (
  insert into shipment_scan (account_id, order_number, shipment_id, at, status, place, description)
  select $1, $2, $3, s.at, s.status, s.place, s.description
  from jsonb_to_recordset($5::jsonb) as s(at timestamptz, status text, place text, description text)
  on conflict do nothing
)
update shipment
set next_scan_at = $4
where account_id = $1 and order_number = $2 and shipment_id = $3 and next_scan_at is not null`;
/**
 * Saves scans that do not change the order, and when to check again. A parcel that reached its final status meanwhile
 * gets no further check.
 */
export const noteScans = (
  db: Queryable,
  noted: {
    account_id: string;
    order_number: string;
    shipment_id: number;
    next_scan_at: Date | null;
    scans: readonly { at: Date; status: string; place: string | null; description: string }[];
  },
) =>
  db.run(note, [
    noted.account_id,
    noted.order_number,
    noted.shipment_id,
    noted.next_scan_at,
    JSON.stringify(noted.scans),
  ]);
