import type { ExceptionId, HoldableState, OrderStatus, Stage } from "@pestle/contract";
import type { StoredItem, StoredOrder } from "../domain/order-answer.ts";
import type { PrescriptionFact } from "../domain/order-facts.ts";
import { type Queryable, sql, statementOf } from "./db.ts";

/** Where sealed values of an order stand, for the vault. */
export const sealedOrderColumns = ["address_sealed", "label_sealed", "payment_token_sealed"] as const;
export type SealedOrderColumn = (typeof sealedOrderColumns)[number];
export const orderPlace = (column: SealedOrderColumn, account_id: string, order_number: string) =>
  `orders.${column} ${account_id} ${order_number}`;

export type OrderRow = Omit<StoredOrder, "address" | "label" | "exceptions" | "items" | "carrier"> & {
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
  exceptions: { id: ExceptionId; raised_at: string }[];
  prescriptions: (Omit<PrescriptionFact, "received_at" | "expires_at"> & { received_at: string; expires_at: string })[];
};

/** Everything an answer shows of an order, for orders that are named `o`. */
const COLUMNS = `
  o.order_number, o.order_position, o.order_status, o.patient_id, o.brand_id, o.reference, o.workflow, o.created_at,
  o.updated_at, o.shipping_method_id, o.signature_confirmation, o.address_sealed, o.label_format, o.label_carrier,
  o.label_tracking_no, o.revision, o.stage, o.held_from, o.sequence, o.payment_token_sealed, o.payer, o.payment_status, o.amount_cents, o.refunded_cents,
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
    where i.account_id = o.account_id and i.order_number = o.order_number) as items,
  coalesce((
    select json_agg(json_build_object('id', e.exception_id, 'raised_at', e.raised_at) order by e.exception_id)
    from order_exception e
    where e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null
      and o.open_exceptions > 0), '[]') as exceptions,
  coalesce((
    select json_agg(json_build_object(
      'prescription_id', r.prescription_id, 'patient_id', r.patient_id, 'active', r.active,
      'prescriber_name', r.prescriber_name, 'prescriber_phone', r.prescriber_phone,
      'prescriber_fax', r.prescriber_fax, 'received_at', r.received_at, 'expires_at', r.expires_at,
      'written_date', r.written_date, 'effective_date', r.effective_date, 'drug_name', r.drug_name, 'ndc', r.ndc,
      'gcn', r.gcn, 'sig_text', r.sig_text, 'written_qty', r.written_qty, 'days_supply', r.days_supply,
      'refills', r.refills, 'drug_schedule', r.drug_schedule, 'daw', r.daw, 'units_ordered', r.units_ordered,
      'order_errors', r.order_errors) order by r.prescription_id)
    from prescription r
    where r.account_id = o.account_id and r.prescription_id in (
      select i.prescription_id
      from order_item i
      where i.account_id = o.account_id and i.order_number = o.order_number)), '[]') as prescriptions`;

const one = statementOf<[account_id: string, order_number: string], OrderRow>(`
select ${COLUMNS}
from orders o
where o.account_id = $1 and o.order_number = $2`);
export const loadOrder = (db: Queryable, account_id: string, order_number: string) =>
  db.row(one, [account_id, order_number]);

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

/**
 * A list is walked by the index of its most telling filter; the others are looked at row by row. Each is a statement of
 * its own, because one that takes every filter as "or none" could use no index at all.
 */
const DRIVERS = {
  prescription_id: `o.order_number in (
      select i.order_number
      from order_item i
      where i.account_id = $1 and i.prescription_id = $5)`,
  patient_id: "o.patient_id = $3",
  reference: "o.reference = $7",
  // Exceptions are open on held orders alone, and those are few.
  exception_id: "o.order_status = 'On Hold'",
  updated_after: "o.updated_at > $11",
  order_status: "o.order_status = $4",
  brand_id: "o.brand_id = $6",
  none: "true",
} as const;
type Driver = keyof typeof DRIVERS;

type PageParams = [
  account_id: string,
  before: number,
  patient_id: string | null,
  order_status: string | null,
  prescription_id: number | null,
  brand_id: number | null,
  reference: string | null,
  exception_id: number | null,
  created_after: Date | null,
  created_before: Date | null,
  updated_after: Date | null,
  limit: number,
];

/**
 * The position of an order made a while before or after a time, so that a list by time is not walked from its end. The
 * while is there because orders made at the same time may have their positions in another order than their times.
 */
function positionNear(time: string, side: "before" | "after"): string {
  const [compared, away, direction] = side === "before" ? ["<", "-", "desc"] : [">", "+", "asc"];
  return `(
      select b.order_position
      from orders b
      where b.account_id = $1 and b.created_at ${compared} ${time}::timestamptz ${away} interval '1 hour'
      order by b.created_at ${direction}
      limit 1)`;
}

const pages = Object.fromEntries(
  Object.entries(DRIVERS).map(([driver, condition]) => [
    driver,
    statementOf<PageParams, OrderRow>(`
with o as materialized (
  select o.*
  from orders o
  where o.account_id = $1 and ${condition}
    and o.order_position < least($2, ${positionNear("$10", "after")})
    and o.order_position > coalesce(${positionNear("$9", "before")}, 0)
    and ($3::text is null or o.patient_id = $3)
    and ($4::text is null or o.order_status = $4)
    and ($5::bigint is null or exists (
      select
      from order_item i
      where i.account_id = o.account_id and i.order_number = o.order_number and i.prescription_id = $5))
    and ($6::integer is null or o.brand_id = $6)
    and ($7::text is null or o.reference = $7)
    and ($8::integer is null or $8 = any(o.exception_ids))
    and ($9::timestamptz is null or o.created_at > $9)
    and ($10::timestamptz is null or o.created_at < $10)
    and ($11::timestamptz is null or o.updated_at > $11)
  order by o.order_position desc
  limit $12
)
select ${COLUMNS}
from o
order by o.order_position desc`),
  ]),
) as unknown as Record<Driver, ReturnType<typeof statementOf<PageParams, OrderRow>>>;

/** Newest first, those before a position. */
export function listOrders(db: Queryable, account_id: string, filter: OrderFilter, before: number, limit: number) {
  const driver = (Object.keys(DRIVERS) as Driver[]).find((name) => name === "none" || filter[name] !== null)!;
  const params: PageParams = [
    account_id,
    before,
    filter.patient_id,
    filter.order_status,
    filter.prescription_id,
    filter.brand_id,
    filter.reference,
    filter.exception_id,
    filter.created_after,
    filter.created_before,
    filter.updated_after,
    limit,
  ];
  // How much was changed since a time is anything from nothing to all: only who knows the time can plan for it, and a
  // statement with a name may be planned without knowing.
  if (driver === "updated_after") return db.raw(pages[driver].text, params).then(({ rows }) => rows as OrderRow[]);
  return db.rows(pages[driver], params);
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

const exists = sql<[account_id: string, order_number: string], { order_number: string }>`
select order_number
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
  where o.account_id = a.account_id and o.payment_status = 'pending')`;
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
