import { stockEntryKinds } from "../../domain/catalogue/stock.ts";
import type { ItemChange, ShelfMove, UnitsChange } from "../../domain/orders/order-change.ts";
import { type Arguments, callOf } from "../call.ts";
import type { Queryable } from "../db.ts";
import type { AuditEntry } from "../operations/audit.ts";
import type { ChangedPatient } from "../patients/patients.ts";
import type { Rows } from "../schema-rows.ts";
import type { NewEvent } from "../webhooks/new-event.ts";

/** The columns of an order that a change may set. Omitted columns keep their value. */
type OrderColumn =
  | "address_sealed"
  | "ship_state"
  | "payment_status"
  | "payment_reference"
  | "payment_token_sealed"
  | "payment_attempt"
  | "amount_cents"
  | "captured_cents"
  | "refunded_cents"
  | "filled_by"
  | "safety_sealed"
  | "claimed_by"
  | "claimed_until"
  | "drug_schedule";
export type OrderColumns = Partial<Pick<Rows["orders"], OrderColumn>>;
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
  /** New ones, and open ones with another cause. `elsewhere`: it rests on other partners' data alone. */
  raised: { exception_id: number; basis: string | null; elsewhere: boolean; situations: string[] }[];
  resolved: { exception_id: number; resolved_by: string; confirmed: string | null }[];
  note: Omit<Rows["order_note"], Key | "at"> | null;
  history: Omit<Rows["order_history"], Key | "at">[];
  events: Omit<NewEvent, Key | "created_at">[];
  shipment: Omit<Rows["shipment"], Key> | null;
  tracked: Pick<Rows["shipment"], "shipment_id" | "status" | "delivered_at" | "next_scan_at"> | null;
  scans: Omit<Rows["shipment_scan"], Key>[];
  payment_entries: Omit<Rows["payment_entry"], Key | "at" | "tries" | "next_try_at" | "problem">[];
  action_request: Omit<Rows["order_action_request"], Key | "id" | "created_at"> | null;
  audit: AuditEntry | null;
};

/** A walk through the pharmacy has five steps, and few carriers tell more changes of a parcel at once. */
const MOST_CHANGES = 5;

const change = callOf<"save_change", { announced: string | null; action_request_id: number | null }>("save_change", {
  writes_events: true,
  announces: true,
  most: MOST_CHANGES,
});
/**
 * Saves a change of an order with its history and its events in one call. If the order changed since it was loaded, it
 * saves nothing and throws an error that `isConflict` recognizes. If a product runs out or is available again, the
 * commit notifies all processes.
 */
export const saveOrderChange = async (db: Queryable, changed: OrderChange) =>
  (await db.row(change, change.values(argumentsOf(changed))))!;

/**
 * Saves several changes of one order, in this order. Each continues from the revision of the one before. Outside a
 * transaction, those that one statement saves hold or fail together.
 */
export async function saveOrderChanges(db: Queryable, changes: readonly OrderChange[]): Promise<void> {
  for (let from = 0; from < changes.length; from += MOST_CHANGES) {
    await db.rows(...change.several(changes.slice(from, from + MOST_CHANGES).map(argumentsOf)));
  }
}

function argumentsOf(changed: OrderChange): Arguments<"save_change"> {
  const { checked_on, prescribed, stock, events } = changed;
  return {
    account_id: changed.account_id,
    order_number: changed.order_number,
    known_revision: changed.revision,
    changed_at: changed.at,
    real_at: changed.real_at,
    new_status: changed.order_status,
    new_stage: changed.stage,
    new_held_from: changed.held_from,
    new_exception_ids: changed.exception_ids,
    new_sequence: changed.sequence,
    new_columns: JSON.stringify(changed.columns),
    checked_patient_key: checked_on?.patient_key ?? null,
    checked_patient_revision: checked_on?.patient_revision ?? null,
    checked_prescription_ids: checked_on?.prescription_ids ?? null,
    changed_patient: json(changed.changed_patient),
    prescription_ids: prescribed.map(({ prescription_id }) => prescription_id),
    prescription_units: prescribed.map(({ units }) => units),
    known_units_ordered: prescribed.map(({ known_units_ordered }) => known_units_ordered),
    moved_skus: stock.map(({ sku }) => sku),
    moved_kinds: stock.map(({ kind }) => kind),
    moved_units: stock.map(({ units }) => units),
    moved_on_hand: stock.map(({ kind, units }) => units * stockEntryKinds[kind].on_hand),
    moved_reserved: stock.map(({ kind, units }) => units * stockEntryKinds[kind].reserved),
    event_ids: events.map(({ event_id }) => event_id),
    event_types: events.map(({ event_type }) => event_type),
    event_bodies_sealed: events.map(({ body_sealed }) => body_sealed),
    changed_items: json(changed.items),
    resolved: json(changed.resolved),
    raised: json(changed.raised),
    note: json(changed.note),
    history: json(changed.history),
    shipped: json(changed.shipment),
    tracked: json(changed.tracked),
    scans: json(changed.scans),
    payments: json(changed.payment_entries),
    asked: json(changed.action_request),
    audit: json(changed.audit),
  };
}

/** Null for no rows, so that the function skips the part. */
const json = (rows: object | null) =>
  rows === null || (Array.isArray(rows) && rows.length === 0) ? null : JSON.stringify(rows);
