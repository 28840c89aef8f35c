import type { Workflow } from "@pestle/contract";
import type { Fill, PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { CHANNEL } from "../bus.ts";
import { type Queryable, sql, statementOf } from "../db.ts";
import { type AuditEntry, auditPart } from "../operations/audit.ts";
import type { ChangedPatient } from "../patients/patients.ts";
import type { Rows } from "../schema-rows.ts";
import type { NewEvent } from "../webhooks/new-event.ts";

/** The data for deciding on an order, as the database returns it. */
export type OrderContext = {
  workflow: Workflow;
  custom_labels: boolean;
  clock_offset_s: number;
  /** An order that the same body created within the last minute. */
  recent_order_number: string | null;
  patient: { patient_key: number; record_sealed: string; revision: number } | null;
  prescriptions: (Omit<PrescriptionFact, "patient_id" | "received_at" | "expires_at"> & {
    patient_key: number;
    received_at: string;
    expires_at: string;
    /** Base64, as `details_sealed` is. */
    written_sealed: string | null;
    details_sealed: string;
  })[];
  stock: { sku: string; available_units: number }[];
  fills: FillRow[];
  dispense_ids: number[];
};

/** `days_supply` as written, for `written_qty`. */
export type FillRow = Omit<Fill, "shipped_at"> & { shipped_at: string | null };

const context = sql<
  [
    account_id: string,
    fingerprint: Buffer,
    since: Date,
    patient_index: Buffer | null,
    prescription_ids: number[],
    skus: string[],
    items: number,
    taken_since: Date,
  ],
  OrderContext
>`
with whose as (
  select p.patient_key, p.revision, p.record_sealed
  from patient p
  where p.account_id = $1 and p.id_index = $4
), prescribed as (
  select r.*
  from prescription r
  where r.account_id = $1 and r.prescription_id = any($5)
), meant as (
  select p.sku
  from product p
  where p.account_id = $1 and p.sku = any($6)
  union
  select p.sku
  from product p
  where p.account_id = $1 and p.ndc = any(array(select ndc from prescribed))
  union
  select p.sku
  from product p
  where p.account_id = $1 and p.gcn = any(array(select gcn from prescribed))
), taken as (
  select i.*
  from order_item i
  where i.account_id = $1 and i.patient_key = (select patient_key from whose) and i.pending
  union all
  select i.*
  from order_item i
  where i.account_id = $1 and i.patient_key = (select patient_key from whose) and i.supply_ends_at > $8
)
select a.workflow, a.custom_labels, a.clock_offset_s,
  (
    select f.order_number
    from order_fingerprint f
    where f.account_id = $1 and f.fingerprint = $2 and (f.created_at > $3) is true) as recent_order_number,
  (
    select json_build_object('patient_key', p.patient_key, 'revision', p.revision,
      'record_sealed', translate(encode(p.record_sealed, 'base64'), E'\n', ''))
    from whose p) as patient,
  coalesce((
    select json_agg(json_build_object(
      'prescription_id', r.prescription_id, 'patient_key', r.patient_key, 'active', r.active,
      'acceptance', r.acceptance, 'prescriber_name', r.prescriber_name, 'prescriber_phone', r.prescriber_phone,
      'prescriber_fax', r.prescriber_fax, 'prescriber_npi', r.prescriber_npi, 'prescriber_dea', r.prescriber_dea,
      'received_at', r.received_at, 'expires_at', r.expires_at, 'written_date', r.written_date,
      'effective_date', r.effective_date, 'drug_name', r.drug_name, 'ndc', r.ndc, 'gcn', r.gcn,
      'sig_text', r.sig_text, 'written_sealed', translate(encode(r.written_sealed, 'base64'), E'\n', ''),
      'written_qty', r.written_qty, 'unit', r.unit, 'days_supply', r.days_supply,
      'refills', r.refills, 'drug_schedule', r.drug_schedule, 'daw', r.daw, 'units_ordered', r.units_ordered,
      'order_errors', r.order_errors,
      'partial', case when r.drug_schedule = '2' then partial_fill_of($1, r.prescription_id) end,
      'details_sealed', translate(encode(r.details_sealed, 'base64'), E'\n', '')))
    from prescribed r), '[]') as prescriptions,
  coalesce((
    select json_agg(json_build_object('sku', s.sku, 'available_units', s.on_hand_units - s.reserved_units))
    from stock s
    where s.account_id = $1 and s.sku = any(array(select sku from meant))), '[]') as stock,
  coalesce((
    select json_agg(json_build_object(
      'order_number', i.order_number, 'prescription_id', i.prescription_id, 'gcn', i.gcn, 'shipped_at', i.shipped_at,
      'ingredients', (
        select p.ingredients
        from product p
        where p.account_id = $1 and p.sku = i.sku),
      'units', i.units,
      'written_qty', (
        select r.written_qty
        from prescription r
        where r.account_id = $1 and r.prescription_id = i.prescription_id),
      'days_supply', (
        select r.days_supply
        from prescription r
        where r.account_id = $1 and r.prescription_id = i.prescription_id)))
    from taken i), '[]') as fills,
  coalesce((
    select json_agg(scattered_id(nextval(pg_get_serial_sequence('order_item', 'dispense_id'))))
    from generate_series(1, $7)), '[]') as dispense_ids
from account a
where a.account_id = $1`;
/** Loads everything that the process does not cache, in one statement. */
export const loadOrderContext = async (
  db: Queryable,
  asked: {
    account_id: string;
    fingerprint: Buffer;
    since: Date;
    patient_index: Buffer | null;
    prescription_ids: number[];
    skus: string[];
    items: number;
    taken_since: Date;
  },
): Promise<OrderContext> =>
  (await db.row(context, [
    asked.account_id,
    asked.fingerprint,
    asked.since,
    asked.patient_index,
    asked.prescription_ids,
    asked.skus,
    asked.items,
    asked.taken_since,
  ]))!;
export const loadOrderContextText = context.text;

const lock = sql<[account_id: string, patient_index: Buffer | null, prescription_ids: number[]], { locked: number }>`
with whom as (
  select p.patient_key
  from patient p
  where p.account_id = $1 and p.id_index = $2
  for no key update
), what as (
  select r.prescription_id
  from prescription r
  where r.account_id = $1 and r.prescription_id = any($3) and (select count(*) from whom) >= 0
  order by r.prescription_id
  for no key update
)
select (select count(*) from whom) + (select count(*) from what) as locked`;
/**
 * An order that lost a race takes these locks before it reloads. Orders of one patient then run one after the other,
 * and none loses forever. Locks in the same order as `save`.
 */
export const lockForOrder = (
  db: Queryable,
  account_id: string,
  patient_index: Buffer | null,
  prescription_ids: number[],
) => db.row(lock, [account_id, patient_index, prescription_ids]);

/** Columns that a new order does not have yet. */
type LaterOrderColumn =
  // Only orders of earlier versions have it in clear.
  | "reference"
  | "revision"
  | "payment_reference"
  | "payment_attempt"
  | "captured_cents"
  | "refunded_cents"
  | "claimed_by"
  | "claimed_until"
  | "filled_by";
type LaterItemColumn =
  | "prescriber_name"
  | "prescriber_phone"
  | "prescriber_fax"
  | "pending"
  | "removed_at"
  | "lot"
  | "lot_expires_on"
  | "shipped_at"
  | "supply_ends_at";

/** The rows of a new order, by table. */
export type OrderSave = {
  fingerprint: (Rows["order_fingerprint"] & { since: Date }) | null;
  changed_patient: ChangedPatient | null;
  /** The patient's revision at decision time. */
  patient_revision: number;
  order: Required<Omit<Rows["orders"], LaterOrderColumn>>;
  items: Required<Omit<Rows["order_item"], LaterItemColumn>>[];
  /** The units to reserve, by sku. */
  reserved: Record<string, number>;
  /** By prescription, with the units already ordered at decision time. */
  prescribed: Record<number, { units: number; units_ordered: number }>;
  exceptions: Pick<
    Rows["order_exception"],
    "account_id" | "order_number" | "exception_id" | "raised_at" | "basis" | "situations"
  >[];
  history: Omit<Rows["order_history"], "person_id" | "note_id">[];
  events: NewEvent[];
  audit: AuditEntry;
};

/**
 * PostgreSQL does not promise the execution order within one statement. Each part that locks rows therefore names the
 * previous part in its condition, `(select count(*) from …) >= 0`, so that it locks no row before that part has run.
 * The order is patient, prescriptions by id, fingerprint, order and items, stock by sku. Stock comes last because all
 * orders of a product wait for each other there.
 */
const save = {
  ...statementOf<[changes: string], { conflict_unless: true; announced: string | null }>(`
with given as (
  select $1::jsonb as j
), changed as (
  update patient p
  set record_sealed = c.record_sealed, email_index = c.email_index, phone_index = c.phone_index,
    person_keys = c.person_keys,
    updated_at = greatest(p.updated_at, c.updated_at), revision = p.revision + 1,
    recheck_due = greatest(p.recheck_due, c.recheck_due)
  from given, jsonb_populate_record(null::patient, coalesce(nullif(j->'changed_patient', 'null'), '{}')) c
  where p.account_id = c.account_id and p.patient_key = c.patient_key and p.revision = c.revision
  returning true
), held as (
  select r.prescription_id
  from prescription r
  where r.account_id = (select j->'order'->>'account_id' from given)
    and r.prescription_id = any(array(select jsonb_object_keys(j->'prescribed')::bigint from given))
    and (select count(*) from changed) >= 0
  order by r.prescription_id
  for no key update
), prescribed as (
  -- The order and the refills in its answer were decided on the units that were left. The array makes PostgreSQL probe
  -- the key, however many rows it estimates.
  update prescription r
  set units_ordered = r.units_ordered + (j->'prescribed'->r.prescription_id::text->>'units')::numeric,
    order_due_at = null, order_errors = '[]'
  from given
  where r.account_id = (select j->'order'->>'account_id' from given)
    and r.prescription_id = any(array(select jsonb_object_keys(j->'prescribed')::bigint from given))
    and r.units_ordered = (j->'prescribed'->r.prescription_id::text->>'units_ordered')::numeric
    and r.active and r.acceptance in ('not_needed', 'accepted') and (select count(*) from held) >= 0
  returning r.prescription_id
), claimed as (
  insert into order_fingerprint (account_id, fingerprint, order_number, created_at)
  select f.account_id, f.fingerprint, f.order_number, f.created_at
  from given, jsonb_populate_record(null::order_fingerprint, coalesce(nullif(j->'fingerprint', 'null'), '{}')) f
  where f.account_id is not null and (select count(*) from prescribed) >= 0
  on conflict (account_id, fingerprint) do update
  set order_number = excluded.order_number, created_at = excluded.created_at
  where order_fingerprint.created_at <= (select (j->'fingerprint'->>'since')::timestamptz from given)
  returning true
), ordered as (
  insert into orders (account_id, order_number, order_position, order_status, stage, held_from, open_exceptions, exception_ids,
    patient_key, brand_id, reference_sealed, reference_index, workflow, shipping_method_id, signature_confirmation, address_sealed, ship_state,
    label_format, label_carrier, label_tracking_no, label_sealed, payer, payment_status, payment_token_sealed,
    amount_cents, safety_sealed, sequence, drug_schedule, stage_since,
    created_at, updated_at)
  select o.account_id, o.order_number, o.order_position, o.order_status, o.stage, o.held_from, o.open_exceptions, o.exception_ids,
    o.patient_key, o.brand_id, o.reference_sealed, o.reference_index, o.workflow, o.shipping_method_id, o.signature_confirmation,
    o.address_sealed, o.ship_state, o.label_format, o.label_carrier, o.label_tracking_no, o.label_sealed, o.payer,
    o.payment_status, o.payment_token_sealed, o.amount_cents, o.safety_sealed, o.sequence, o.drug_schedule,
    o.stage_since, o.created_at, o.updated_at
  from given, jsonb_populate_record(null::orders, j->'order') o
  where (select count(*) from claimed) >= 0
  returning true
), items as (
  insert into order_item (account_id, order_number, item_id, dispense_id, prescription_id, needs_prescription, sku, ndc,
    gcn, quantity, package_size, reserved, price_cents, prescriber_sealed, patient_key,
    alone)
  select i.account_id, i.order_number, i.item_id, i.dispense_id, i.prescription_id, i.needs_prescription, i.sku, i.ndc,
    i.gcn, i.quantity, i.package_size, i.reserved, i.price_cents, i.prescriber_sealed,
    i.patient_key, i.alone
  from given, jsonb_populate_recordset(null::order_item, j->'items') i
  where (select count(*) from ordered) >= 0
  returning true
), reached as (
  select s.sku
  from stock s
  where s.account_id = (select j->'order'->>'account_id' from given)
    and s.sku = any(array(select jsonb_object_keys(j->'reserved') from given))
    and (select count(*) from items) >= 0
  order by s.sku
  for no key update
), shelf as (
  update stock s
  set reserved_units = s.reserved_units + (j->'reserved'->>s.sku)::numeric
  from given
  where s.account_id = (select j->'order'->>'account_id' from given)
    and s.sku = any(array(select jsonb_object_keys(j->'reserved') from given))
    and (select count(*) from reached) >= 0
  returning s.account_id, s.sku, (j->'reserved'->>s.sku)::numeric as units,
    s.on_hand_units - s.reserved_units as available_units
), exceptions as (
  insert into order_exception (account_id, order_number, exception_id, raised_at, basis, situations, occurrence)
  select e.account_id, e.order_number, e.exception_id, e.raised_at, e.basis, e.situations, 1
  from given, jsonb_populate_recordset(null::order_exception, j->'exceptions') e
), history as (
  insert into order_history (account_id, order_number, at, actor, event, "from", "to", stage, exception_id)
  select h.account_id, h.order_number, h.at, h.actor, h.event, h."from", h."to", h.stage, h.exception_id
  from given, jsonb_populate_recordset(null::order_history, j->'history') h
  returning true
), entries as (
  insert into stock_entry (account_id, sku, kind, units, order_number, at)
  select s.account_id, s.sku, 'reserved', s.units, j->'order'->>'order_number', (j->'order'->>'created_at')::timestamptz
  from given, shelf s
), events as (
  insert into webhook_event (account_id, event_id, event_type, order_number, body_sealed, created_at)
  select e.account_id, e.event_id, e.event_type, e.order_number, e.body_sealed, e.created_at
  from given, jsonb_populate_recordset(null::webhook_event, j->'events') e
  returning true
), audited as (${auditPart("j->'audit'")}
), sold_out as (
  select jsonb_build_object('kind', 'catalogue', 'account_id', s.account_id)::text as change
  from shelf s
  where s.available_units <= 0
  limit 1
)
select conflict_unless(
    (j->'changed_patient' = 'null' or exists (select from changed))
    and (j->'changed_patient' <> 'null' or exists (
      select
      from patient p
      where p.account_id = j->'order'->>'account_id' and p.patient_key = (j->'order'->>'patient_key')::bigint
        and p.revision = (j->>'patient_revision')::integer))
    and (select count(*) from prescribed) = (select count(*) from jsonb_object_keys(j->'prescribed'))
    and (j->'fingerprint' = 'null' or exists (select from claimed))
    and (select count(*) from ordered) = 1
    and (select count(*) from items) = jsonb_array_length(j->'items')
    and (select count(*) from history) = jsonb_array_length(j->'history')
    and (select count(*) from events) = jsonb_array_length(j->'events')
    and (select count(*) from shelf) = (select count(*) from jsonb_object_keys(j->'reserved'))),
  (select change from sold_out) as announced,
  -- In the statement, because a process that dies after the commit would leave the others with the old catalogue. Only
  -- when a product runs out: a notify takes a global lock, and most orders need none.
  (select pg_notify('${CHANNEL}', change) from sold_out) as notified
from given`),
  announces: true,
};
/**
 * Saves the whole order in one statement. If the units, the stock, the patient or the fingerprint changed since the
 * decision, it saves nothing and throws an error that `isConflict` recognizes. If the order takes the last units of a
 * product, the commit notifies all processes.
 */
export const saveOrder = async (db: Queryable, changes: OrderSave) => (await db.row(save, [JSON.stringify(changes)]))!;
export const saveOrderText = save.text;

const removeOld = sql<[account_id: string, before: Date, most: number]>`
delete from order_fingerprint
where account_id = $1 and fingerprint in (
  select fingerprint
  from order_fingerprint
  where account_id = $1 and created_at <= $2
  limit $3)`;
/** Deletes expired fingerprints. */
export const deleteFingerprints = (db: Queryable, account_id: string, before: Date, most: number) =>
  db.run(removeOld, [account_id, before, most]);
