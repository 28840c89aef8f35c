import type {
  ActionKey,
  Environment,
  ExceptionId,
  HoldableState,
  KnownOfHold,
  OrderStatus,
  Shipment,
  Stage,
} from "@pestle/contract";
import type { StoredItem, StoredOrder } from "../../domain/orders/order-answer.ts";
import type { PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { type Queryable, sql, statementOf } from "../db.ts";
import { partialFill } from "./partial-fill.ts";

/** The sealed columns of an order, for the vault's places. */
export const sealedOrderColumns = [
  "address_sealed",
  "label_sealed",
  "payment_token_sealed",
  "reference_sealed",
  "safety_sealed",
] as const;
export type SealedOrderColumn = (typeof sealedOrderColumns)[number];
export const orderPlace = (column: SealedOrderColumn, account_id: string, order_number: string) =>
  `orders.${column} ${account_id} ${order_number}`;

export const itemPlace = (account_id: string, order_number: string, item_id: number) =>
  `order_item.prescriber_sealed ${account_id} ${order_number} ${item_id}`;
/** The blind index of a partner's own id of an order. */
export const referencePlace = (account_id: string) => `orders.reference_index ${account_id}`;

export type OrderRow = Omit<
  StoredOrder,
  "patient_id" | "address" | "label" | "exceptions" | "items" | "carrier" | "shipments"
> & {
  order_position: number;
  patient_key: number;
  /** The partner's id of the patient. */
  id_sealed: Buffer;
  revision: number;
  stage: Stage | null;
  held_from: HoldableState | null;
  sequence: number;
  clock_offset_s: number;
  address_sealed: Buffer | null;
  payment_token_sealed: Buffer | null;
  reference_sealed: Buffer | null;
  label_format: NonNullable<StoredOrder["label"]>["format"] | null;
  label_carrier: string | null;
  label_tracking_no: string | null;
  carrier: string;
  items: StoredItem[];
  shipments: Shipment[] | null;
  exceptions: { id: ExceptionId; raised_at: string; elsewhere: boolean; situations: KnownOfHold[] }[];
  prescriptions: (Omit<
    PrescriptionFact,
    "patient_id" | "received_at" | "expires_at" | "prescriber_npi" | "prescriber_dea" | "unit"
  > & {
    received_at: string;
    expires_at: string;
    /** Base64. */
    written_sealed: string | null;
  })[];
};

/** All columns that an answer shows, for orders of the account $1 with the alias `o`. Reads its settings once for all. */
export const ORDER_COLUMNS = `
  o.order_number, o.order_position, o.order_status, o.patient_key, o.brand_id, o.reference, o.reference_sealed, o.workflow, o.created_at,
  o.updated_at, o.shipping_method_id, o.signature_confirmation, o.address_sealed, o.label_format, o.label_carrier,
  o.label_tracking_no, o.revision, o.stage, o.held_from, o.sequence, o.payment_token_sealed, o.payer, o.payment_status, o.amount_cents,
  o.captured_cents, o.refunded_cents, o.drug_schedule,
  (
    select p.id_sealed
    from patient p
    where p.account_id = o.account_id and p.patient_key = o.patient_key) as id_sealed,
  (
    select a.clock_offset_s
    from account a
    where a.account_id = $1) as clock_offset_s,
  (
    select json_object_agg(m.id, m.carrier)
    from shipping_method m
    where m.account_id = $1) ->> o.shipping_method_id::text as carrier,
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
    select json_agg(json_build_object('id', e.exception_id, 'raised_at', e.raised_at, 'elsewhere', e.elsewhere,
      'situations', e.situations)
      order by e.exception_id)
    from order_exception e
    where e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null
      and o.open_exceptions > 0), '[]') as exceptions,
  coalesce((
    select json_agg(json_build_object(
      'prescription_id', r.prescription_id, 'active', r.active,
      'acceptance', r.acceptance, 'prescriber_name', r.prescriber_name, 'prescriber_phone', r.prescriber_phone,
      'prescriber_fax', r.prescriber_fax, 'received_at', r.received_at, 'expires_at', r.expires_at,
      'written_date', r.written_date, 'effective_date', r.effective_date, 'drug_name', r.drug_name, 'ndc', r.ndc,
      'gcn', r.gcn, 'sig_text', r.sig_text, 'written_sealed', translate(encode(r.written_sealed, 'base64'), E'\\n', ''),
      'written_qty', r.written_qty, 'days_supply', r.days_supply,
      'refills', r.refills, 'drug_schedule', r.drug_schedule, 'daw', r.daw, 'units_ordered', r.units_ordered,
      'order_errors', r.order_errors,
      'partial', case when r.drug_schedule = '2' then ${partialFill("r")} end)
      order by r.prescription_id)
    from prescription r
    where r.account_id = o.account_id and r.prescription_id in (
      select i.prescription_id
      from order_item i
      where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null)), '[]')
    as prescriptions`;

/**
 * A text that changes with the answer about an order: the versions of its rows, and the clock and the carriers of the
 * account $1, read once for all orders. `version` is that of the row in `orders`, which a save of an exception, a shipment or a payment
 * updates too. With ORDER_COLUMNS, `account_id` is that of `o`, as in theirs: Citus plans the two forms in one statement only if
 * `o` is a common table expression.
 */
export const orderStamp = (version: string, account_id = "$1") => `concat_ws(' ', ${version}, (
    select a.clock_offset_s
    from account a
    where a.account_id = $1), (
    select hashtextextended(string_agg(concat_ws(' ', m.id, m.carrier), ',' order by m.id), 0)
    from shipping_method m
    where m.account_id = $1), (
    select string_agg(concat_ws(':', i.xmin, (
        select r.xmin
        from prescription r
        where r.account_id = ${account_id} and r.prescription_id = i.prescription_id)), ' ' order by i.item_id)
    from order_item i
    where i.account_id = ${account_id} and i.order_number = o.order_number)) as stamp`;

/** An order without its data: where it is in the list, and a text that changes with its answer. */
export type OrderHead = { order_number: string; order_position: number; stamp: string };

const head = statementOf<[account_id: string, order_number: string], OrderHead>(`
select o.order_number, o.order_position, ${orderStamp("o.xmin")}
from orders o
where o.account_id = $1 and o.order_number = $2`);
export const loadOrderHead = (db: Queryable, account_id: string, order_number: string) =>
  db.row(head, [account_id, order_number]);

const several = statementOf<[account_id: string, order_numbers: readonly string[]], OrderRow & OrderHead>(`
select ${ORDER_COLUMNS}, ${orderStamp("o.xmin", "o.account_id")}
from orders o
where o.account_id = $1 and o.order_number = any($2)`);
export const loadOrders = (db: Queryable, account_id: string, order_numbers: readonly string[]) =>
  db.rows(several, [account_id, order_numbers]);

const one = statementOf<[account_id: string, order_number: string], OrderRow>(`
select ${ORDER_COLUMNS}
from orders o
where o.account_id = $1 and o.order_number = $2`);
export const loadOrder = (db: Queryable, account_id: string, order_number: string) =>
  db.row(one, [account_id, order_number]);

export type HistoryRow = {
  history_position: number;
  at: Date;
  actor: string;
  event: string;
  from: OrderStatus | null;
  to: OrderStatus;
  exception_id: ExceptionId | null;
  request_id: string | null;
};
const history = sql<[account_id: string, order_number: string, before: number, limit: number], HistoryRow>`
select h.history_position, h.at, h.actor, h.event, h."from", h."to", h.exception_id, h.request_id
from order_history h
where h.account_id = $1 and h.order_number = $2 and h.history_position < $3
order by h.history_position desc
limit $4`;
/** Newest first, before a position. */
export const listHistory = (db: Queryable, account_id: string, order_number: string, before: number, limit: number) =>
  db.rows(history, [account_id, order_number, before, limit]);

const exists = sql<[account_id: string, order_number: string], { order_number: string; order_status: OrderStatus }>`
select order_number, order_status
from orders
where account_id = $1 and order_number = $2`;
export const findOrder = (db: Queryable, account_id: string, order_number: string) =>
  db.row(exists, [account_id, order_number]);

const lock = sql<[account_id: string, order_number: string, revision: number], { held: boolean }>`
with locked as (
  select
  from orders
  where account_id = $1 and order_number = $2 and revision = $3
  for no key update
)
select conflict_unless(exists (select from locked)) as held`;
/** No one else changes the order until the transaction ends. A conflict if it has another revision by now. */
export const lockOrder = (db: Queryable, account_id: string, order_number: string, revision: number) =>
  db.row(lock, [account_id, order_number, revision]);

const unpaidAccounts = sql<[environment: Environment | null], { account_id: string; clock_offset_s: number }>`
select a.account_id, a.clock_offset_s
from each_account a
where ($1::text is null or a.environment = $1) and (exists (
  select
  from orders o
  where o.account_id = a.account_id and o.payment_status = 'pending')
  or exists (
    select
    from payment_entry e
    where e.account_id = a.account_id and e.state = 'asked'))`;
/** Accounts with payments to authorize, void or refund, of one environment or of both. */
export const listUnpaidAccounts = (db: Queryable, environment: Environment | null) =>
  db.rows(unpaidAccounts, [environment]);

const unpaid = sql<[account_id: string, before: Date, most: number], { order_number: string }>`
select order_number
from orders
where account_id = $1 and payment_status = 'pending' and created_at < $2
order by created_at
limit $3`;
/** Orders saved without a payment request, because the process ended in between. */
export const listUnpaid = (db: Queryable, account_id: string, before: Date, most: number) =>
  db.rows(unpaid, [account_id, before, most]);

const shipTos = sql<[account_id: string, patient_index: Buffer], { order_number: string; address_sealed: Buffer }>`
select o.order_number, o.address_sealed
from orders o
where o.account_id = $1 and o.patient_key = (
    select p.patient_key
    from patient p
    where p.account_id = $1 and p.id_index = $2)
  and o.order_status in ('Processing', 'Filling', 'On Hold') and o.address_sealed is not null`;
/** The ship-to addresses of a patient's open orders. */
export const listShipToAddresses = (db: Queryable, account_id: string, patient_index: Buffer) =>
  db.rows(shipTos, [account_id, patient_index]);

export type ActionRequestRow = { id: number; event: ActionKey; reason_id: number | null; created_at: Date };
const requests = sql<
  [account_id: string, order_number: string, created_at: Date | null, id: number | null, most: number],
  ActionRequestRow
>`
select id, event, reason_id, created_at
from order_action_request
where account_id = $1 and order_number = $2 and ($3::timestamptz is null or (created_at, id) < ($3, $4::bigint))
order by created_at desc, id desc
limit $5`;
/** Action requests of an order before a position, newest first. */
export const listActionRequests = (
  db: Queryable,
  account_id: string,
  order_number: string,
  before: Pick<ActionRequestRow, "created_at" | "id"> | null,
  most: number,
) => db.rows(requests, [account_id, order_number, before?.created_at ?? null, before?.id ?? null, most]);

const unchecked = sql<[most: number, environment: Environment | null], { account_id: string; order_number: string }>`
select e.account_id, e.order_number
from order_exception e
join account a on a.account_id = e.account_id
where e.basis = 'unavailable' and e.resolved_at is null and ($2::text is null or a.environment = $2)
limit $1`;
/** Orders held because the safety engine was unavailable, of one environment or of both. */
export const listUnchecked = (db: Queryable, most: number, environment: Environment | null) =>
  db.rows(unchecked, [most, environment]);
