import type {
  ActionKey,
  Environment,
  ExceptionId,
  HoldableState,
  OrderStatus,
  Shipment,
  Stage,
} from "@pestle/contract";
import type { StoredItem, StoredOrder } from "../domain/order-answer.ts";
import type { ItemDetails } from "../domain/order-change.ts";
import type { PrescriptionFact } from "../domain/order-facts.ts";
import { firstPositionAt } from "../domain/order-position.ts";
import { type Queryable, sql, statementOf } from "./db.ts";
import type { FillRow } from "./place-order.ts";

/** Where sealed values of an order stand, for the vault. */
export const sealedOrderColumns = ["address_sealed", "label_sealed", "payment_token_sealed", "safety_sealed"] as const;
export type SealedOrderColumn = (typeof sealedOrderColumns)[number];
export const orderPlace = (column: SealedOrderColumn, account_id: string, order_number: string) =>
  `orders.${column} ${account_id} ${order_number}`;

export type OrderRow = Omit<StoredOrder, "address" | "label" | "exceptions" | "items" | "carrier" | "shipments"> & {
  order_position: number;
  revision: number;
  stage: Stage | null;
  held_from: HoldableState | null;
  sequence: number;
  clock_offset_s: number;
  address_sealed: Buffer | null;
  payment_token_sealed: Buffer | null;
  label_format: NonNullable<StoredOrder["label"]>["format"] | null;
  label_carrier: string | null;
  label_tracking_no: string | null;
  carrier: string;
  items: StoredItem[];
  shipments: Shipment[] | null;
  exceptions: { id: ExceptionId; raised_at: string }[];
  prescriptions: (Omit<PrescriptionFact, "received_at" | "expires_at"> & { received_at: string; expires_at: string })[];
};

/** Everything an answer shows of an order, for orders that are named `o`. */
const COLUMNS = `
  o.order_number, o.order_position, o.order_status, o.patient_id, o.brand_id, o.reference, o.workflow, o.created_at,
  o.updated_at, o.shipping_method_id, o.signature_confirmation, o.address_sealed, o.label_format, o.label_carrier,
  o.label_tracking_no, o.revision, o.stage, o.held_from, o.sequence, o.payment_token_sealed, o.payer, o.payment_status, o.amount_cents,
  o.captured_cents, o.refunded_cents,
  (
    select a.clock_offset_s
    from account a
    where a.account_id = o.account_id) as clock_offset_s,
  (
    select m.carrier
    from shipping_method m
    where m.account_id = o.account_id and m.id = o.shipping_method_id) as carrier,
  (
    select json_agg(json_build_object(
      'item_id', i.item_id, 'dispense_id', i.dispense_id, 'prescription_id', i.prescription_id,
      'needs_prescription', i.needs_prescription, 'sku', i.sku,
      'ndc', i.ndc, 'gcn', i.gcn, 'quantity', i.quantity, 'package_size', i.package_size) order by i.item_id)
    from order_item i
    where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null) as items,
  (
    select bool_or(i.needs_prescription)
    from order_item i
    where i.account_id = o.account_id and i.order_number = o.order_number) as prescribed,
  case when o.order_status in ('Shipped', 'Delivered') then (
    select json_agg(json_build_object(
      'tracking_no', s.tracking_no, 'tracking_url', s.tracking_url, 'carrier', s.carrier, 'method', s.method,
      'status', s.status, 'shipped_at', s.shipped_at, 'delivered_at', s.delivered_at) order by s.shipment_id desc)
    from shipment s
    where s.account_id = o.account_id and s.order_number = o.order_number) end as shipments,
  coalesce((
    select json_agg(json_build_object('id', e.exception_id, 'raised_at', e.raised_at) order by e.exception_id)
    from order_exception e
    where e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null
      and o.open_exceptions > 0), '[]') as exceptions,
  coalesce((
    select json_agg(json_build_object(
      'prescription_id', r.prescription_id, 'patient_id', r.patient_id, 'active', r.active,
      'acceptance', r.acceptance, 'prescriber_name', r.prescriber_name, 'prescriber_phone', r.prescriber_phone,
      'prescriber_fax', r.prescriber_fax, 'received_at', r.received_at, 'expires_at', r.expires_at,
      'written_date', r.written_date, 'effective_date', r.effective_date, 'drug_name', r.drug_name, 'ndc', r.ndc,
      'gcn', r.gcn, 'sig_text', r.sig_text, 'written_qty', r.written_qty, 'days_supply', r.days_supply,
      'refills', r.refills, 'drug_schedule', r.drug_schedule, 'daw', r.daw, 'units_ordered', r.units_ordered,
      'order_errors', r.order_errors) order by r.prescription_id)
    from prescription r
    where r.account_id = o.account_id and r.prescription_id in (
      select i.prescription_id
      from order_item i
      where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null)), '[]')
    as prescriptions`;

const one = statementOf<[account_id: string, order_number: string], OrderRow>(`
select ${COLUMNS}
from orders o
where o.account_id = $1 and o.order_number = $2`);
export const loadOrder = (db: Queryable, account_id: string, order_number: string) =>
  db.row(one, [account_id, order_number]);

/** What a change is decided on, beside the order itself. */
export type ChangingRow = OrderRow & {
  environment: Environment;
  custom_label_sealed: Buffer | null;
  payment_reference: string | null;
  payment_attempt: number;
  filled_by: string | null;
  claimed_by: string | null;
  claimed_until: Date | null;
  patient: { record_sealed: string; revision: number };
  details: ItemDetails[];
  holds: { id: ExceptionId; basis: string | null }[];
  confirmed: { id: ExceptionId; confirmed: string }[];
  fills: FillRow[];
  last_shipment: { shipment_id: number; next_scan_at: string | null } | null;
};
const changing = statementOf<[account_id: string, order_number: string, taken_since: Date], ChangingRow>(`
with taken as (
  select i.*
  from orders o
  join order_item i on i.account_id = o.account_id and i.patient_id = o.patient_id and i.pending
    and i.order_number <> o.order_number
  where o.account_id = $1 and o.order_number = $2
  union all
  select i.*
  from orders o
  join account a on a.account_id = o.account_id
  join order_item i on i.account_id = o.account_id and i.patient_id = o.patient_id and i.order_number <> o.order_number
    and i.supply_ends_at > $3::timestamptz + make_interval(secs => a.clock_offset_s)
  where o.account_id = $1 and o.order_number = $2
)
select ${COLUMNS}, a.environment, o.label_sealed as custom_label_sealed, o.payment_reference, o.payment_attempt,
  o.filled_by, o.claimed_by, o.claimed_until,
  (
    select json_build_object('revision', p.revision,
      'record_sealed', translate(encode(p.record_sealed, 'base64'), E'\n', ''))
    from patient p
    where p.account_id = o.account_id and p.patient_id = o.patient_id) as patient,
  (
    select json_agg(json_build_object('item_id', i.item_id, 'units', i.units, 'reserved', i.reserved,
      'price_cents', i.price_cents, 'lot', i.lot,
      'lot_expires_on', i.lot_expires_on, 'ingredients', p.ingredients) order by i.item_id)
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
      'ingredients', p.ingredients, 'days_supply', r.days_supply))
    from taken i
    join product p on p.account_id = i.account_id and p.sku = i.sku
    left join prescription r on r.account_id = i.account_id and r.prescription_id = i.prescription_id), '[]') as fills,
  (
    select json_build_object('shipment_id', s.shipment_id, 'next_scan_at', s.next_scan_at)
    from shipment s
    where s.account_id = o.account_id and s.order_number = o.order_number
    order by s.shipment_id desc
    limit 1) as last_shipment
from orders o
join account a on a.account_id = o.account_id
where o.account_id = $1 and o.order_number = $2`);
/**
 * An order with everything that a change of it is decided on: one statement. `taken_since` is real time: what ran out
 * earlier, by the account's clock, is no longer taken.
 */
export const loadForChange = (db: Queryable, account_id: string, order_number: string, taken_since: Date) =>
  db.row(changing, [account_id, order_number, taken_since]);

export type OrderFilter = {
  patient_id: string | null;
  order_status: OrderStatus | null;
  prescription_id: number | null;
  brand_id: number | null;
  reference: string | null;
  exception_id: number | null;
  created_after: Date | null;
  created_before: Date | null;
  updated_after: Date | null;
};

/** What a filter asks of an order `o`, where its value is given as `value`. Times of creation are positions. */
const CONDITIONS = {
  prescription_id: (value: string) => `o.order_number = any(array(
      select i.order_number
      from order_item i
      where i.account_id = $1 and i.prescription_id = ${value}))`,
  patient_id: (value: string) => `o.patient_id = ${value}`,
  reference: (value: string) => `o.reference = ${value}`,
  // Exceptions are open on held orders alone, and those are few.
  exception_id: (value: string) => `o.order_status = 'On Hold' and ${value} = any(o.exception_ids)`,
  order_status: (value: string) => `o.order_status = ${value}`,
  brand_id: (value: string) => `o.brand_id = ${value}`,
  updated_after: (value: string) => `o.updated_at > ${value}`,
} as const;
type FilterName = keyof typeof CONDITIONS;

/** As many as a page can have and one more. PostgreSQL plans for any page at once, and so it knows that they are few. */
const MOST_ROWS = 201;
/** Up to as many changed orders are looked at; where more were changed, the list is walked until a page is full. */
const FEW_CHANGED = 1_000;

/**
 * A statement for each set of filters, with these conditions and no other: one that takes every filter as "or none"
 * is planned as if nothing passed it, and reads all orders. $2 and $3 are where the page lies, $4 is how long it is.
 */
function pageText(names: readonly FilterName[]): string {
  const condition = (name: FilterName) => CONDITIONS[name](`$${5 + names.indexOf(name)}`);
  const walk = (from: string, left_out?: FilterName, ...given: string[]) => {
    const asked = names.filter((name) => name !== left_out).map(condition);
    const here = ["o.account_id = $1", "o.order_position < $2", "o.order_position >= $3"];
    return `(
    select o.*
    from ${from} o
    where ${[...here, ...asked, ...given].join("\n      and ")}
    order by o.order_position desc
    limit ${MOST_ROWS})`;
  };
  // Of a prescription, a patient or a reference there are never many orders.
  if (names.includes("prescription_id")) {
    return listText(
      `found as materialized (
  select o.*
  from orders o
  where o.account_id = $1 and ${condition("prescription_id")}
), `,
      walk("found", "prescription_id"),
    );
  }
  const telling = names.includes("patient_id") || names.includes("reference");
  if (telling || !names.includes("updated_after")) return listText("", walk("orders"));
  // What was changed since a time is anything from nothing to all, and anywhere in the list. Between two times: of these
  // PostgreSQL expects few, and looks for them by the index.
  const changed = `changed as materialized (
  select o.*
  from orders o
  where o.account_id = $1 and ${condition("updated_after")} and o.updated_at <= 'infinity'
  order by o.updated_at desc
  limit ${FEW_CHANGED + 1}
), `;
  const few = `(select count(*) from changed) <= ${FEW_CHANGED}`;
  const among = walk("changed", "updated_after", few);
  return listText(changed, `(${among}\n    union all ${walk("orders", undefined, `not ${few}`)})`);
}

const listText = (before: string, orders: string) => `
with ${before}o as materialized (
  select o.*
  from ${orders} o
  order by o.order_position desc
  limit $4
)
select ${COLUMNS}
from o
order by o.order_position desc`;

type PageParams = readonly [account_id: string, before: number, from: number, limit: number, ...filters: unknown[]];
const pages = new Map<string, ReturnType<typeof statementOf<PageParams, OrderRow>>>();

/** Newest first, those before a position. */
export function listOrders(db: Queryable, account_id: string, filter: OrderFilter, before: number, limit: number) {
  const { created_after, created_before } = filter;
  const names = (Object.keys(CONDITIONS) as FilterName[]).filter((name) => filter[name] !== null);
  const key = names.join();
  const page = pages.get(key) ?? statementOf<PageParams, OrderRow>(pageText(names));
  pages.set(key, page);
  return db.rows(page, [
    account_id,
    created_before === null ? before : Math.min(before, firstPositionAt(created_before)),
    created_after === null ? 0 : firstPositionAt(new Date(created_after.getTime() + 1)),
    limit,
    ...names.map((name) => filter[name]),
  ]);
}

export type HistoryRow = {
  history_position: number;
  at: Date;
  actor: string;
  event: string;
  from: OrderStatus | null;
  to: OrderStatus;
  exception_id: ExceptionId | null;
};
const history = sql<[account_id: string, order_number: string, before: number, limit: number], HistoryRow>`
select h.history_position, h.at, h.actor, h.event, h."from", h."to", h.exception_id
from order_history h
where h.account_id = $1 and h.order_number = $2 and h.history_position < $3
order by h.history_position desc
limit $4`;
/** Newest first, those before a position. */
export const listHistory = (db: Queryable, account_id: string, order_number: string, before: number, limit: number) =>
  db.rows(history, [account_id, order_number, before, limit]);

const exists = sql<[account_id: string, order_number: string], { order_number: string; order_status: OrderStatus }>`
select order_number, order_status
from orders
where account_id = $1 and order_number = $2`;
export const findOrder = (db: Queryable, account_id: string, order_number: string) =>
  db.row(exists, [account_id, order_number]);

const unpaidAccounts = sql<[], { account_id: string; clock_offset_s: number }>`
select a.account_id, a.clock_offset_s
from account a
where exists (
  select
  from orders o
  where o.account_id = a.account_id and o.payment_status = 'pending')
  or exists (
    select
    from payment_entry e
    where e.account_id = a.account_id and e.state = 'asked')`;
/** Accounts with money to be asked for, let go or given back. */
export const listUnpaidAccounts = (db: Queryable) => db.rows(unpaidAccounts, []);

const unpaid = sql<[account_id: string, before: Date, most: number], { order_number: string }>`
select order_number
from orders
where account_id = $1 and payment_status = 'pending' and created_at < $2
order by created_at
limit $3`;
/** Saved, and the money not asked for: the process ended in between. */
export const listUnpaid = (db: Queryable, account_id: string, before: Date, most: number) =>
  db.rows(unpaid, [account_id, before, most]);

const shipTos = sql<[account_id: string, patient_id: string], { order_number: string; address_sealed: Buffer }>`
select order_number, address_sealed
from orders
where account_id = $1 and patient_id = $2 and order_status in ('Processing', 'Filling', 'On Hold')
  and address_sealed is not null`;
/** Where a patient's orders go that are neither shipped nor canceled. */
export const listShipToAddresses = (db: Queryable, account_id: string, patient_id: string) =>
  db.rows(shipTos, [account_id, patient_id]);

export type ActionRequestRow = { id: number; event: ActionKey; reason_id: number | null; created_at: Date };
const requests = sql<[account_id: string, order_number: string], ActionRequestRow>`
select id, event, reason_id, created_at
from order_action_request
where account_id = $1 and order_number = $2
order by id desc`;
/** What was asked of an order, newest first. */
export const listActionRequests = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(requests, [account_id, order_number]);

const unchecked = sql<[most: number], { account_id: string; order_number: string }>`
select account_id, order_number
from order_exception
where basis = 'unavailable' and resolved_at is null
limit $1`;
/** Held because the safety engine was unfit. */
export const listUnchecked = (db: Queryable, most: number) => db.rows(unchecked, [most]);
