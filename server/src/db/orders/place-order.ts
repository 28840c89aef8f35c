import type { Workflow } from "@pestle/contract";
import type { Fill, PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { type Arguments, callOf } from "../call.ts";
import { type Queryable, sql } from "../db.ts";
import type { AuditEntry } from "../operations/audit.ts";
import type { ChangedPatient } from "../patients/patients.ts";
import type { Rows } from "../schema-rows.ts";
import type { NewEvent } from "../webhooks/new-event.ts";

/** The data for deciding on an order, as the database returns it. */
export type OrderContext = {
  workflow: Workflow;
  custom_labels: boolean;
  clock_offset_s: number;
  /** An order that the same body created within the last minute, unless it is canceled. */
  recent_order_number: string | null;
  patient: { patient_key: number; record_sealed: Buffer; revision: number } | null;
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
export type FillRow = Omit<Fill, "shipped_at" | "ordered_at"> & {
  shipped_at: string | null;
  ordered_at?: string;
};

/** The row of the function `load_order`. A part without rows is null. */
type LoadedRow = Pick<OrderContext, "workflow" | "custom_labels" | "clock_offset_s" | "recent_order_number"> & {
  patient_key: number | null;
  patient_revision: number | null;
  patient_record_sealed: Buffer | null;
  prescriptions: OrderContext["prescriptions"] | null;
  shelves: OrderContext["stock"] | null;
  fills: FillRow[] | null;
  dispense_ids: string[];
};

const context = sql<
  [
    account_id: string,
    fingerprint: Buffer,
    since: Date,
    patient_index: Buffer | null,
    prescription_ids: number[],
    skus: string[],
    taken_since: Date,
    items: number,
  ],
  LoadedRow
>`
select l.*, new_dispense_ids(account_id => $1, items => $8) as dispense_ids
from load_order(account_id => $1, fingerprint => $2, fingerprint_since => $3, patient_index => $4,
  prescription_ids => $5, skus => $6, taken_since => $7) l`;
/** Loads everything that the process does not cache, in one statement. */
export async function loadOrderContext(
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
): Promise<OrderContext> {
  const row = (await db.row(context, [
    asked.account_id,
    asked.fingerprint,
    asked.since,
    asked.patient_index,
    asked.prescription_ids,
    asked.skus,
    asked.taken_since,
    asked.items,
  ]))!;
  const { workflow, custom_labels, clock_offset_s, recent_order_number } = row;
  return {
    workflow,
    custom_labels,
    clock_offset_s,
    recent_order_number,
    patient:
      row.patient_key === null
        ? null
        : {
            patient_key: row.patient_key,
            revision: row.patient_revision!,
            record_sealed: row.patient_record_sealed!,
          },
    prescriptions: row.prescriptions ?? [],
    stock: row.shelves ?? [],
    fills: row.fills ?? [],
    dispense_ids: row.dispense_ids.map(Number),
  };
}
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
  | "supply_ends_at"
  | "returned_at";

/** The rows of a new order, by table. */
export type OrderSave = {
  fingerprint: Rows["order_fingerprint"] & { since: Date };
  changed_patient: ChangedPatient | null;
  /** The patient's revision at decision time. */
  patient_revision: number;
  order: Required<Omit<Rows["orders"], LaterOrderColumn | "open_exceptions">>;
  items: Required<Omit<Rows["order_item"], LaterItemColumn>>[];
  /** The units to reserve, by sku. */
  reserved: Record<string, number>;
  /** By prescription, with the units already ordered at decision time. */
  prescribed: Record<number, { units: number; units_ordered: number }>;
  exceptions: Pick<Rows["order_exception"], "exception_id" | "basis" | "situations">[];
  /** Who placed it, for its history. */
  actor: string;
  events: NewEvent[];
  audit: AuditEntry;
};

const save = callOf<"save_order", { announced: string | null }>("save_order", {
  as: "announced",
  writes_events: true,
  announces: true,
});
/**
 * Saves the whole order in one call. If the units, the stock, the patient or the fingerprint changed since the
 * decision, it saves nothing and throws an error that `isConflict` recognizes. If the order takes the last units of a
 * product, the commit notifies all processes.
 */
export const saveOrder = async (db: Queryable, changes: OrderSave) =>
  (await db.row(save, save.values(argumentsOf(changes))))!;

function argumentsOf({ order, items, changed_patient, fingerprint, exceptions, events, audit, ...rest }: OrderSave) {
  const prescribed = Object.entries(rest.prescribed);
  const given: Arguments<"save_order"> = {
    ...order,
    actor: rest.actor,
    item_ids: items.map(({ item_id }) => item_id),
    dispense_ids: items.map(({ dispense_id }) => dispense_id),
    item_prescription_ids: items.map(({ prescription_id }) => prescription_id),
    items_need_prescription: items.map(({ needs_prescription }) => needs_prescription),
    item_skus: items.map(({ sku }) => sku),
    item_ndcs: items.map(({ ndc }) => ndc),
    item_gcns: items.map(({ gcn }) => gcn),
    item_quantities: items.map(({ quantity }) => quantity),
    item_package_sizes: items.map(({ package_size }) => package_size),
    items_reserved: items.map(({ reserved }) => reserved),
    item_prices_cents: items.map(({ price_cents }) => price_cents),
    item_prescribers_sealed: items.map(({ prescriber_sealed }) => prescriber_sealed),
    items_alone: items.map(({ alone }) => alone),
    patient_revision: rest.patient_revision,
    new_record_sealed: changed_patient?.record_sealed ?? null,
    new_email_index: changed_patient?.email_index ?? null,
    new_phone_index: changed_patient?.phone_index ?? null,
    new_person_keys: changed_patient?.person_keys ?? null,
    new_record_at: changed_patient?.updated_at ?? null,
    new_recheck_due: changed_patient?.recheck_due ?? null,
    prescription_ids: prescribed.map(([prescription_id]) => Number(prescription_id)),
    prescription_units: prescribed.map(([, { units }]) => units),
    known_units_ordered: prescribed.map(([, { units_ordered }]) => units_ordered),
    fingerprint: fingerprint.fingerprint,
    fingerprint_at: fingerprint.created_at,
    fingerprint_since: fingerprint.since,
    reserved_skus: Object.keys(rest.reserved),
    reserved_units: Object.values(rest.reserved),
    holds: exceptions.length === 0 ? null : JSON.stringify(exceptions),
    event_ids: events.map(({ event_id }) => event_id),
    event_types: events.map(({ event_type }) => event_type),
    event_bodies_sealed: events.map(({ body_sealed }) => body_sealed),
    audit_at: audit.at,
    audit_person_id: audit.person_id,
    audit_role: audit.role,
    audit_credential_id: audit.credential_id ?? null,
    audit_os_user: audit.os_user ?? null,
    audit_address: audit.address ?? null,
    audit_action: audit.action,
    audit_request_id: audit.request_id,
    audit_field_groups: audit.field_groups ?? [],
  };
  return given;
}
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
