import type { Environment, PostageAdjustmentReason, PostageLine } from "@pestle/contract";
import type { PostageAdjustment } from "../../domain/fulfillment/postage.ts";
import { type Queryable, sql } from "../db.ts";

/** The vault's place for what postage was made for. */
export const postagePlace = (account_id: string, order_number: string, postage_id: number) =>
  `postage.made_for_sealed ${account_id} ${order_number} ${postage_id}`;

type PostageState = "made" | "bought" | "unused" | "refunding" | "refunded" | "refused";
type PostageRow = {
  postage_id: number;
  label_id: number;
  provider_ref: string;
  state: PostageState;
  made_for_sealed: Buffer;
};
const newest = sql<[account_id: string, order_number: string], PostageRow>`
select postage_id, label_id, provider_ref, state, made_for_sealed
from postage
where account_id = $1 and order_number = $2
order by postage_id desc
limit 1`;
/** The order's last postage, in any state. */
export const loadNewestPostage = (db: Queryable, account_id: string, order_number: string) =>
  db.row(newest, [account_id, order_number]);

const add = sql<
  [
    account_id: string,
    order_number: string,
    postage_id: number,
    label_id: number,
    provider: string,
    provider_ref: string,
    made_at: Date,
    check_at: Date,
    made_for_sealed: Buffer,
  ]
>`
insert into postage (account_id, order_number, postage_id, label_id, provider, provider_ref, state, made_at, check_at,
  made_for_sealed)
values ($1, $2, $3, $4, $5, $6, 'made', $7, $8, $9)
on conflict do nothing`;
/** Stores a shipment before its postage is bought. Does nothing if another process stored one first. */
export const insertPostage = (
  db: Queryable,
  account_id: string,
  order_number: string,
  made: Omit<PostageRow, "state"> & { provider: string; made_at: Date; check_at: Date },
) =>
  db.run(add, [
    account_id,
    order_number,
    made.postage_id,
    made.label_id,
    made.provider,
    made.provider_ref,
    made.made_at,
    made.check_at,
    made.made_for_sealed,
  ]);

const buy = sql<
  [
    account_id: string,
    order_number: string,
    provider_ref: string,
    tracking_no: string,
    carrier: string,
    service: string,
    rate_cents: number,
    paid_cents: number,
  ]
>`
update postage
set state = 'bought', tracking_no = $4, carrier = $5, service = $6, rate_cents = $7, paid_cents = $8
where account_id = $1 and order_number = $2 and provider_ref = $3 and state in ('made', 'bought')`;
export const markBought = (
  db: Queryable,
  account_id: string,
  order_number: string,
  provider_ref: string,
  bought: { tracking_no: string; carrier: string; service: string; rate_cents: number; paid_cents: number },
) =>
  db.run(buy, [
    account_id,
    order_number,
    provider_ref,
    bought.tracking_no,
    bought.carrier,
    bought.service,
    bought.rate_cents,
    bought.paid_cents,
  ]);

const move = sql<
  [account_id: string, order_number: string, provider_ref: string, state: PostageState | null, check_at: Date | null]
>`
update postage
set state = coalesce($4, state), check_at = $5
where account_id = $1 and order_number = $2 and provider_ref = $3`;
/** Another state, or the same if null, and when the job looks at it again. */
export const movePostage = (
  db: Queryable,
  account_id: string,
  order_number: string,
  provider_ref: string,
  to: { state: PostageState | null; check_at: Date | null },
) => db.run(move, [account_id, order_number, provider_ref, to.state, to.check_at]);

const adjust = sql<
  [
    account_id: string,
    order_number: string,
    tracking_no: string,
    provider_ref: string,
    at: Date,
    amount_cents: number,
    reason: PostageAdjustmentReason,
    most: number,
  ]
>`
insert into postage_adjustment (account_id, order_number, postage_id, provider_ref, at, amount_cents, reason)
select p.account_id, p.order_number, p.postage_id, $4, $5, $6, $7
from postage p
where p.account_id = $1 and p.order_number = $2 and p.tracking_no = $3 and (
  select count(*)
  from postage_adjustment a
  where a.account_id = p.account_id and a.order_number = p.order_number and a.postage_id = p.postage_id) < $8
limit 1
on conflict (account_id, order_number, postage_id, provider_ref) do update
set amount_cents = excluded.amount_cents, reason = excluded.reason`;
/** Stores what the carrier charged later for a label that Pestle bought; the newest version of each invoice counts. */
export const saveAdjustment = (
  db: Queryable,
  account_id: string,
  order_number: string,
  tracking_no: string,
  { invoice_id, at, amount_cents, reason }: PostageAdjustment & { at: Date },
) => db.run(adjust, [account_id, order_number, tracking_no, invoice_id, at, amount_cents, reason, MOST_ADJUSTMENTS]);
const MOST_ADJUSTMENTS = 50;

type PostageCost = {
  postage_id: number;
  made_at: Date;
  state: PostageLine["state"];
  tracking_no: string | null;
  carrier: string | null;
  service: string | null;
  rate_cents: number | null;
  paid_cents: number | null;
};
const costs = sql<[account_id: string, order_number: string], PostageCost>`
select postage_id, made_at, state, tracking_no, carrier, service, rate_cents, paid_cents
from postage
where account_id = $1 and order_number = $2 and state <> 'unused'
order by postage_id`;
/** The postage that was or may be bought for an order. */
export const listPostageCosts = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(costs, [account_id, order_number]);

const adjustments = sql<
  [account_id: string, order_number: string],
  { postage_id: number; at: Date; amount_cents: number; reason: PostageAdjustmentReason }
>`
select postage_id, at, amount_cents, reason
from postage_adjustment
where account_id = $1 and order_number = $2
order by at`;
export const listAdjustments = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(adjustments, [account_id, order_number]);

const accounts = sql<[environment: Environment | null, now: Date], { account_id: string; environment: Environment }>`
select a.account_id, a.environment
from each_account a
where ($1::text is null or a.environment = $1) and exists (
  select
  from postage p
  where p.account_id = a.account_id and p.check_at <= $2)`;
export const listPostageAccounts = (db: Queryable, environment: Environment | null, now: Date) =>
  db.rows(accounts, [environment, now]);

export type DuePostage = {
  order_number: string;
  provider_ref: string;
  state: PostageState;
  /** A parcel carries its label. */
  shipped: boolean;
  /** Its label is printed for a parcel, or the next print will use it. */
  wanted: boolean;
};
const due = sql<[account_id: string, now: Date, most: number], DuePostage>`
select p.order_number, p.provider_ref, p.state,
  exists (
    select
    from shipment s
    where s.account_id = p.account_id and s.order_number = p.order_number and s.tracking_no = p.tracking_no) as shipped,
  o.order_status not in ('Canceled', 'Shipped', 'Delivered') and not exists (
    select
    from postage n
    where n.account_id = p.account_id and n.order_number = p.order_number and n.postage_id > p.postage_id)
  and not exists (
    select
    from parcel_label l
    where l.account_id = p.account_id and l.order_number = p.order_number and l.label_id >= p.label_id
      and l.state <> 'ready') as wanted
from postage p
join orders o on o.account_id = p.account_id and o.order_number = p.order_number
where p.account_id = $1 and p.check_at <= $2
order by p.check_at
limit $3`;
/** Postage that the job looks at now. */
export const listDuePostage = (db: Queryable, account_id: string, now: Date, most: number) =>
  db.rows(due, [account_id, now, most]);
