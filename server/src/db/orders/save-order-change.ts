import { stockEntryKinds } from "../../domain/catalogue/stock.ts";
import type { ItemChange, ShelfMove, UnitsChange } from "../../domain/orders/order-change.ts";
import { CHANNEL } from "../bus.ts";
import { type Queryable, statementOf } from "../db.ts";
import { type AuditEntry, auditPart } from "../operations/audit.ts";
import type { ChangedPatient } from "../patients/patients.ts";
import type { Rows } from "../schema-rows.ts";
import type { NewEvent } from "../webhooks/new-event.ts";

/** The columns of an order that a change may set, with their types. Omitted columns keep their value. */
const orderColumns = {
  address_sealed: "bytea",
  ship_state: "text",
  payment_status: "text",
  payment_reference: "text",
  payment_token_sealed: "bytea",
  payment_attempt: "integer",
  amount_cents: "integer",
  captured_cents: "integer",
  refunded_cents: "integer",
  filled_by: "text",
  safety_sealed: "bytea",
  claimed_by: "text",
  claimed_until: "timestamptz",
  drug_schedule: "text",
} as const;
const itemColumns: Record<Exclude<keyof ItemChange, "item_id">, string> = {
  prescription_id: "bigint",
  reserved: "boolean",
  pending: "boolean",
  removed_at: "timestamptz",
  lot: "text",
  lot_expires_on: "date",
  shipped_at: "timestamptz",
  supply_ends_at: "timestamptz",
};

export type OrderColumns = Partial<Pick<Rows["orders"], keyof typeof orderColumns>>;
type Key = "account_id" | "order_number";

/** The rows and columns that one change of an order writes. */
export type OrderChange = {
  account_id: string;
  order_number: string;
  /** The revision at decision time; a different one at save time is a conflict. */
  revision: number;
  at: Date;
  /** Real time, not the account's clock. */
  real_at: Date;
  order_status: string;
  stage: string | null;
  held_from: string | null;
  exception_ids: number[];
  sequence: number;
  columns: OrderColumns;
  /** The facts that the checks of a step were run on; a change of the patient or an ended prescription is a conflict. */
  checked_on: { patient_key: number; patient_revision: number; prescription_ids: number[] } | null;
  items: ItemChange[];
  prescribed: UnitsChange[];
  /** Stock movements, at most one per product. */
  stock: ShelfMove[];
  changed_patient: ChangedPatient | null;
  /** `elsewhere`: it rests on other partners' data alone. */
  raised: { exception_id: number; basis: string | null; elsewhere: boolean; situations: string[] }[];
  resolved: { exception_id: number; resolved_by: string; confirmed: string | null }[];
  note: Omit<Rows["order_note"], Key | "at"> | null;
  history: Omit<Rows["order_history"], Key | "at">[];
  events: Omit<NewEvent, Key | "created_at">[];
  shipment: Omit<Rows["shipment"], Key> | null;
  tracked: Pick<Rows["shipment"], "shipment_id" | "status" | "delivered_at" | "next_scan_at"> | null;
  scans: Omit<Rows["shipment_scan"], Key>[];
  payment_entries: Omit<Rows["payment_entry"], Key | "at">[];
  action_request: Omit<Rows["order_action_request"], Key | "id" | "created_at"> | null;
  audit: AuditEntry | null;
};

const assigned = (columns: Record<string, string>, row: string, from: string) =>
  Object.entries(columns)
    .map(
      ([name, type]) =>
        `${name} = case when ${from} ? '${name}' then (${from}->>'${name}')::${type} else ${row}.${name} end`,
    )
    .join(",\n    ");
const shelfMoves = Object.entries(stockEntryKinds)
  .map(([kind, { on_hand, reserved }]) => `('${kind}', ${on_hand}, ${reserved})`)
  .join(", ");

/** Locks rows in a fixed order, as place-order.ts does: order, patient, prescriptions by id, items, stock by sku. */
const change = {
  ...statementOf<
    [change: string],
    { conflict_unless: true; announced: string | null; action_request_id: number | null }
  >(`
with given as (
  select $1::jsonb as j
), changed as (
  update orders o
  set revision = o.revision + 1, order_status = j->>'order_status', stage = j->>'stage', held_from = j->>'held_from',
    exception_ids = array(select jsonb_array_elements_text(j->'exception_ids')::integer),
    open_exceptions = jsonb_array_length(j->'exception_ids'), sequence = (j->>'sequence')::integer,
    updated_at = greatest(o.updated_at, (j->>'at')::timestamptz),
    stage_since = case when (o.order_status, o.stage) is distinct from (j->>'order_status', j->>'stage')
      then (j->>'real_at')::timestamptz else o.stage_since end,
    ${assigned(orderColumns, "o", "j->'columns'")}
  from given
  -- Subqueries, because "->>" is not leakproof: compared with it directly, the row-level policy would come first and read
  -- all orders of the account.
  where o.account_id = (select j->>'account_id' from given) and o.order_number = (select j->>'order_number' from given)
    and o.revision = (j->>'revision')::integer
  returning o.account_id, o.order_number
), changed_patient as (
  update patient p
  set record_sealed = n.record_sealed, email_index = n.email_index, phone_index = n.phone_index,
    person_keys = n.person_keys,
    updated_at = greatest(p.updated_at, n.updated_at), revision = p.revision + 1
  from changed c, given, jsonb_populate_record(null::patient, coalesce(nullif(j->'changed_patient', 'null'), '{}')) n
  where p.account_id = c.account_id and p.patient_key = n.patient_key and p.revision = n.revision
  returning true
), held as (
  select r.prescription_id
  from changed c, given, jsonb_to_recordset(j->'prescribed') as u(prescription_id bigint), prescription r
  where r.account_id = c.account_id and r.prescription_id = u.prescription_id
    and (select count(*) from changed_patient) >= 0
  order by r.prescription_id
  for no key update of r
), items as (
  update order_item i
  set ${assigned(itemColumns, "i", "x.value")}
  from changed c, given, jsonb_array_elements(j->'items') x
  where i.account_id = c.account_id and i.order_number = c.order_number and i.item_id = (x.value->>'item_id')::integer
  returning true
), prescribed as (
  update prescription r
  set units_ordered = r.units_ordered + u.units,
    -- Automatic Processing must not order a prescription that this order takes units of.
    order_due_at = case when u.units > 0 then null else r.order_due_at end
  from changed c, given, jsonb_to_recordset(j->'prescribed')
    as u(prescription_id bigint, units numeric, known_units_ordered numeric)
  where r.account_id = c.account_id and r.prescription_id = u.prescription_id
    and (u.known_units_ordered is null or r.units_ordered = u.known_units_ordered
      and r.active and r.acceptance in ('not_needed', 'accepted'))
    and (select count(*) from held) >= 0
  returning true
), reached as (
  select s.sku
  from changed c, given, jsonb_to_recordset(j->'stock') as m(sku text), stock s
  where s.account_id = c.account_id and s.sku = m.sku
    and (select count(*) from prescribed) + (select count(*) from items) >= 0
  order by s.sku
  for no key update of s
), shelf as (
  update stock s
  set on_hand_units = s.on_hand_units + m.units * k.on_hand, reserved_units = s.reserved_units + m.units * k.reserved
  from changed c, given, jsonb_to_recordset(j->'stock') as m(sku text, kind text, units numeric)
  join (values ${shelfMoves}) as k(kind, on_hand, reserved) on k.kind = m.kind
  where s.account_id = c.account_id and s.sku = m.sku and (select count(*) from reached) >= 0
  returning s.account_id, s.sku, m.kind, m.units, s.on_hand_units - s.reserved_units as available_units,
    s.on_hand_units - s.reserved_units - m.units * (k.on_hand - k.reserved) as available_before
), entries as (
  insert into stock_entry (account_id, sku, kind, units, order_number, at)
  select f.account_id, f.sku, f.kind, f.units, j->>'order_number', (j->>'at')::timestamptz
  from given, shelf f
), resolved as (
  update order_exception e
  set resolved_at = (j->>'at')::timestamptz, resolved_by = r.resolved_by, confirmed = r.confirmed
  from changed c, given,
    jsonb_to_recordset(j->'resolved') as r(exception_id integer, resolved_by text, confirmed text)
  where e.account_id = c.account_id and e.order_number = c.order_number and e.exception_id = r.exception_id
    and e.resolved_at is null
), raised as (
  insert into order_exception (account_id, order_number, exception_id, raised_at, basis, elsewhere, situations,
    occurrence)
  select c.account_id, c.order_number, x.exception_id, (j->>'at')::timestamptz, x.basis, x.elsewhere, x.situations, 1 + (
      select count(*)
      from order_exception e
      where e.account_id = c.account_id and e.order_number = c.order_number and e.exception_id = x.exception_id)
  from changed c, given, jsonb_to_recordset(j->'raised') as x(exception_id integer, basis text, elsewhere boolean,
    situations text[])
), noted as (
  insert into order_note (account_id, order_number, note_id, at, person_id, role, text_sealed, signature)
  select c.account_id, c.order_number, n.note_id, (j->>'at')::timestamptz, n.person_id, n.role, n.text_sealed, n.signature
  from changed c, given, jsonb_populate_record(null::order_note, coalesce(nullif(j->'note', 'null'), '{}')) n
  where n.note_id is not null
), history as (
  insert into order_history
    (account_id, order_number, at, actor, person_id, event, "from", "to", stage, exception_id, note_id)
  select c.account_id, c.order_number, (j->>'at')::timestamptz, h.actor, h.person_id, h.event, h."from", h."to", h.stage,
    h.exception_id, h.note_id
  from changed c, given, jsonb_populate_recordset(null::order_history, j->'history') h
), shipped as (
  insert into shipment (account_id, order_number, shipment_id, tracking_no, tracking_url, carrier, method, status,
    shipped_at, delivered_at, next_scan_at, label_format, label_sealed)
  select c.account_id, c.order_number, s.shipment_id, s.tracking_no, s.tracking_url, s.carrier, s.method, s.status,
    s.shipped_at, s.delivered_at, s.next_scan_at, s.label_format, s.label_sealed
  from changed c, given, jsonb_populate_record(null::shipment, coalesce(nullif(j->'shipment', 'null'), '{}')) s
  where s.shipment_id is not null
), tracked as (
  update shipment s
  set status = t.status, delivered_at = t.delivered_at, next_scan_at = t.next_scan_at
  from changed c, given, jsonb_populate_record(null::shipment, coalesce(nullif(j->'tracked', 'null'), '{}')) t
  where s.account_id = c.account_id and s.order_number = c.order_number and s.shipment_id = t.shipment_id
), scans as (
  insert into shipment_scan (account_id, order_number, shipment_id, at, status, place, description)
  select c.account_id, c.order_number, s.shipment_id, s.at, s.status, s.place, s.description
  from changed c, given, jsonb_populate_recordset(null::shipment_scan, j->'scans') s
  on conflict do nothing
), payments as (
  insert into payment_entry (account_id, order_number, payment_entry_id, kind, amount_cents, reason_id, state, actor, at)
  select c.account_id, c.order_number, p.payment_entry_id, p.kind, p.amount_cents, p.reason_id, p.state, p.actor,
    (j->>'at')::timestamptz
  from changed c, given, jsonb_populate_recordset(null::payment_entry, j->'payment_entries') p
), asked as (
  insert into order_action_request
    (account_id, order_number, event, exception_id, reason_id, amount_cents, prescription_id, item_id, created_at)
  select c.account_id, c.order_number, a.event, a.exception_id, a.reason_id, a.amount_cents, a.prescription_id, a.item_id,
    (j->>'at')::timestamptz
  from changed c, given,
    jsonb_populate_record(null::order_action_request, coalesce(nullif(j->'action_request', 'null'), '{}')) a
  where a.event is not null
  returning id
), events as (
  insert into webhook_event (account_id, event_id, event_type, order_number, body_sealed, created_at)
  select c.account_id, e.event_id, e.event_type, c.order_number, e.body_sealed, (j->>'at')::timestamptz
  from changed c, given, jsonb_populate_recordset(null::webhook_event, j->'events') e
), audited as (${auditPart("j->'audit'")}
), sold_out_or_back as (
  select jsonb_build_object('kind', 'catalogue', 'account_id', f.account_id)::text as change
  from shelf f
  where (f.available_units > 0) <> (f.available_before > 0)
  limit 1
)
select conflict_unless(
    exists (select from changed)
    and (j->'changed_patient' = 'null' or exists (select from changed_patient))
    and (select count(*) from prescribed) = jsonb_array_length(j->'prescribed')
    and (select count(*) from items) = jsonb_array_length(j->'items')
    and (select count(*) from shelf) = jsonb_array_length(j->'stock')
    and (j->'checked_on' = 'null' or exists (
      select
      from patient p
      where p.account_id = j->>'account_id' and p.patient_key = (j->'checked_on'->>'patient_key')::bigint
        and p.revision = (j->'checked_on'->>'patient_revision')::integer))
    and (j->'checked_on' = 'null' or not exists (
      select
      from prescription r
      where r.account_id = j->>'account_id'
        and r.prescription_id = any(array(
          select jsonb_array_elements_text(j->'checked_on'->'prescription_ids')::bigint))
        and not (r.active and r.acceptance in ('not_needed', 'accepted'))))),
  (select change from sold_out_or_back) as announced,
  -- With the commit, as in place-order.ts, and only when a product runs out or is available again.
  (select pg_notify('${CHANNEL}', change) from sold_out_or_back) as notified,
  (select id from asked) as action_request_id
from given`),
  announces: true,
};
/**
 * Saves a change of an order with its history and its events in one statement. If the order changed since it was
 * loaded, it saves nothing and throws an error that `isConflict` recognizes. If a product runs out or is available
 * again, the commit notifies all processes.
 */
export const saveOrderChange = async (db: Queryable, changed: OrderChange) =>
  (await db.row(change, [JSON.stringify(changed)]))!;
