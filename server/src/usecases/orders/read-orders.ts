import type { Address, Order, OrderState } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { listOrders, type OrderFilter } from "../../db/orders/order-list.ts";
import {
  loadOrder,
  type OrderRow,
  orderPlace,
  referencePlace,
  type SealedOrderColumn,
} from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import type { OrderStanding } from "../../domain/orders/order.ts";
import { isoShipment, orderAnswer, type StoredOrder } from "../../domain/orders/order-answer.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openWritten } from "../intake/written.ts";
import { auditView, type PortalActor } from "../operations/audit-portal.ts";
import { loadPage } from "../operations/load-page.ts";
import { openPatientId, patientIndex } from "../patients/patient-rows.ts";

export async function readOrder(deps: Deps, account_id: string, order_number: string): Promise<Order | undefined> {
  return withKeysOfNow(deps, async () => {
    const row = await loadOrder(deps.db, account_id, order_number);
    return row && answerOf(deps, account_id, row);
  });
}

export type OrderQuery = Omit<OrderFilter, "reference_index" | "patient_index"> & {
  reference: string | null;
  patient_id: string | null;
};

/** A page of orders, newest first, and the position of the next page. */
export async function readOrders(
  deps: Deps,
  account_id: string,
  asked: OrderQuery,
  before: number,
  limit: number,
): Promise<{ orders: Order[]; positions: number[]; next: number | null }> {
  const { reference, patient_id, ...others } = asked;
  const reference_index = reference === null ? null : deps.vault.blindIndex(reference, referencePlace(account_id));
  const patient_index = patient_id === null ? null : patientIndex(deps, account_id, patient_id);
  const filter: OrderFilter = { ...others, reference_index, patient_index };
  return withKeysOfNow(deps, async () => {
    const { rows, more } = await loadPage(
      limit,
      (after: ReadOrder | undefined, most) => readSome(deps, account_id, filter, after?.position ?? before, most),
      ({ bytes }) => bytes,
    );
    return {
      orders: rows.map(({ order }) => order),
      positions: rows.map(({ position }) => position),
      next: more ? rows.at(-1)!.position : null,
    };
  });
}

type ReadOrder = { order: Order; position: number; bytes: number };
async function readSome(deps: Deps, account_id: string, filter: OrderFilter, before: number, most: number) {
  const rows = await listOrders(deps.db, account_id, filter, before, most);
  return rows.map((row): ReadOrder => {
    const order = answerOf(deps, account_id, row);
    return { order, position: row.order_position, bytes: roughBytes(order) };
  });
}

/** An order's size grows with its items and their prescriptions; measuring each one exactly would serialize it twice. */
const BYTES_PER_ORDER = 1_500;
const BYTES_PER_ITEM = 1_500;
const roughBytes = ({ items, medication_requests }: Order) =>
  BYTES_PER_ORDER +
  BYTES_PER_ITEM * items.length +
  medication_requests.reduce((sum, { sig_text }) => sum + BYTES_PER_ITEM + 2 * (sig_text?.length ?? 0), 0);

/** An unsealed order with its state, for deciding a change. */
export async function loadStoredOrder(deps: Deps, account_id: string, order_number: string, db: Queryable = deps.db) {
  const row = await loadOrder(db, account_id, order_number);
  return row && openOrder(deps, account_id, row);
}

function answerOf(deps: Deps, account_id: string, row: OrderRow): Order {
  const { order, prescriptions } = openOrder(deps, account_id, row);
  return orderAnswer(order, prescriptions);
}

/** Unseals an order. Labels and payment tokens stay sealed until the caller asks for them. */
export function openOrder(deps: Deps, account_id: string, row: OrderRow) {
  const {
    address_sealed,
    id_sealed,
    patient_key,
    reference_sealed: _,
    label_format,
    label_carrier,
    label_tracking_no,
    exceptions,
    prescriptions,
    ...kept
  } = row;
  const { revision, stage, held_from, sequence, clock_offset_s, payment_token_sealed } = row;
  const open = (column: SealedOrderColumn, sealed: Buffer) =>
    deps.vault.open(sealed, orderPlace(column, account_id, row.order_number)).toString("utf8");
  const patient_id = openPatientId(deps, account_id, { patient_key, id_sealed });
  const order: StoredOrder = {
    ...kept,
    patient_id,
    reference: openReference(deps, { ...row, account_id }),
    shipments: (row.shipments ?? []).map(isoShipment),
    address: address_sealed && (JSON.parse(open("address_sealed", address_sealed)) as Address),
    label: label_format && { format: label_format, carrier: label_carrier, tracking_no: label_tracking_no },
    exceptions: exceptions.map((one) => ({ ...one, raised_at: new Date(one.raised_at) })),
  };
  const standing: OrderStanding = {
    state: (stage === null ? row.order_status : `${row.order_status}/${stage}`) as OrderState,
    held_from,
    open: exceptions.map(({ id }) => id),
    sequence,
  };
  return {
    order,
    standing,
    revision,
    clock_offset_s,
    custom_label: (sealed: Buffer | null) => () => sealed && Buffer.from(open("label_sealed", sealed), "base64"),
    payment_token: () => (payment_token_sealed === null ? "" : open("payment_token_sealed", payment_token_sealed)),
    prescriptions: prescriptions.map((one) => {
      const { received_at, expires_at, ...prescription } = openWritten(deps.vault, account_id, one);
      // An order has only prescriptions of its patient.
      return { ...prescription, patient_id, received_at: new Date(received_at), expires_at: new Date(expires_at) };
    }),
  };
}

export type SealedReference = {
  account_id: string;
  order_number: string | null;
  reference: string | null;
  reference_sealed: Buffer | null;
};

/** The partner's own id of an order. A row of an earlier version can still have it in clear. */
export function openReference({ vault }: Pick<Deps, "vault">, order: SealedReference): string | null {
  if (order.reference_sealed === null || order.order_number === null) return order.reference;
  const place = orderPlace("reference_sealed", order.account_id, order.order_number);
  return vault.open(order.reference_sealed, place).toString("utf8");
}

/** An order for the portal. It identifies the patient, so the view is audited before the order is shown. */
export async function viewOrder(deps: Deps, by: PortalActor, order_number: string): Promise<Order> {
  const order = await readOrder(deps, by.account_id, order_number);
  if (order === undefined) throw new StatusRefusal(404);
  await auditView(deps, by, "order_viewed", order_number);
  return order;
}
