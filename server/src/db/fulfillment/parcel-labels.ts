import type { Environment, labelFormats } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

/** The vault's place for a label that is printed and has not shipped. */
export const parcelLabelPlace = (account_id: string, order_number: string, label_id: number) =>
  `parcel_label.content_sealed ${account_id} ${order_number} ${label_id}`;

export type ParcelLabelRow = {
  label_id: number;
  state: "ready" | "shipped" | "voiding" | "voided";
  tracking_no: string;
  tracking_url: string | null;
  carrier: string;
  label_format: (typeof labelFormats)[number];
  printed_at: Date;
  printed_by: string;
  content_sealed: Buffer | null;
};
const newest = sql<[account_id: string, order_number: string], ParcelLabelRow>`
select label_id, state, tracking_no, tracking_url, carrier, label_format, printed_at, printed_by, content_sealed
from parcel_label
where account_id = $1 and order_number = $2
order by label_id desc
limit 1`;
/** The order's last label, in any state. */
export const loadNewestLabel = (db: Queryable, account_id: string, order_number: string) =>
  db.row(newest, [account_id, order_number]);

const add = sql<
  [
    account_id: string,
    order_number: string,
    label_id: number,
    tracking_no: string,
    tracking_url: string | null,
    carrier: string,
    label_format: string,
    printed_at: Date,
    printed_by: string,
    content_sealed: Buffer,
  ],
  { state: "ready" | "voiding" }
>`
insert into parcel_label (account_id, order_number, label_id, state, tracking_no, tracking_url, carrier, label_format,
  printed_at, printed_by, content_sealed)
select o.account_id, o.order_number, $3, case when o.stage = 'pack' then 'ready' else 'voiding' end, $4, $5, $6, $7, $8,
  $9, case when o.stage = 'pack' then $10::bytea end
from orders o
where o.account_id = $1 and o.order_number = $2
  and (o.order_status = 'Filling' and o.stage = 'pack' or o.order_status = 'Canceled')
-- A shipment or a cancellation at the same time ends first.
for share of o
on conflict do nothing
returning state`;
/**
 * Stores a label of the carrier: ready for an order that is being packed, and to void for one that was canceled
 * meanwhile. Undefined if the order is elsewhere, or if someone else printed it first.
 */
export const insertLabel = (
  db: Queryable,
  account_id: string,
  order_number: string,
  label: Omit<ParcelLabelRow, "state" | "content_sealed"> & { content_sealed: Buffer },
) =>
  db.row(add, [
    account_id,
    order_number,
    label.label_id,
    label.tracking_no,
    label.tracking_url,
    label.carrier,
    label.label_format,
    label.printed_at,
    label.printed_by,
    label.content_sealed,
  ]);

const again = sql<[account_id: string, order_number: string, label_id: number, printed_at: Date, printed_by: string]>`
update parcel_label
set printed_at = $4, printed_by = $5
where account_id = $1 and order_number = $2 and label_id = $3 and state = 'ready'`;
export const notePrinted = (
  db: Queryable,
  account_id: string,
  order_number: string,
  label_id: number,
  printed: { at: Date; by: string },
) => db.run(again, [account_id, order_number, label_id, printed.at, printed.by]);

const ended = sql<[account_id: string, order_number: string, shipped_id: number | null]>`
update parcel_label
set state = case when label_id = $3 then 'shipped' else 'voiding' end, content_sealed = null
where account_id = $1 and order_number = $2 and state = 'ready'`;
/** The order ships with this label, or with none that was printed. One that it does not ship with is voided. */
export const endLabel = (db: Queryable, account_id: string, order_number: string, shipped_id: number | null) =>
  db.run(ended, [account_id, order_number, shipped_id]);

export type UnusedLabel = {
  order_number: string;
  label_id: number;
  tracking_no: string;
  /** The postage that Pestle bought for it. */
  provider_ref: string | null;
  environment: Environment;
};
const unused = sql<[account_id: string, order_number: string | null, most: number], UnusedLabel>`
select l.order_number, l.label_id, l.tracking_no, p.provider_ref, a.environment
from parcel_label l
join orders o on o.account_id = l.account_id and o.order_number = l.order_number
join account a on a.account_id = l.account_id
left join postage p on p.account_id = l.account_id and p.order_number = l.order_number
  and p.tracking_no = l.tracking_no
where l.account_id = $1 and ($2::text is null or l.order_number = $2) and l.state in ('ready', 'voiding')
  and (l.state = 'voiding' or o.order_status = 'Canceled')
order by l.order_number, l.label_id
limit $3`;
/** Labels that no parcel will carry: those of canceled orders, and those that another label replaced. */
export const listUnusedLabels = (db: Queryable, account_id: string, order_number: string | null, most: number) =>
  db.rows(unused, [account_id, order_number, most]);

const accounts = sql<[environment: Environment | null], { account_id: string }>`
select a.account_id
from each_account a
where ($1::text is null or a.environment = $1) and exists (
  select
  from parcel_label l
  where l.account_id = a.account_id and l.state in ('ready', 'voiding'))`;
export const listLabelAccounts = (db: Queryable, environment: Environment | null) => db.rows(accounts, [environment]);

const voided = sql<[account_id: string, order_number: string, label_id: number]>`
update parcel_label
set state = 'voided', content_sealed = null
where account_id = $1 and order_number = $2 and label_id = $3 and state in ('ready', 'voiding')`;
export const markVoided = (db: Queryable, account_id: string, order_number: string, label_id: number) =>
  db.run(voided, [account_id, order_number, label_id]);
