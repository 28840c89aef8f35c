import type { Address, Order, OrderState } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { listOrderHeads, type OrderFilter } from "../../db/orders/order-list.ts";
import {
  loadOrder,
  loadOrderHead,
  loadOrders,
  type OrderHead,
  type OrderRow,
  orderPlace,
  referencePlace,
  type SealedOrderColumn,
} from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import type { Formulary } from "../../domain/catalogue/formulary.ts";
import { type FillRules, fillabilityLasts } from "../../domain/orders/fillability.ts";
import type { OrderStanding } from "../../domain/orders/order.ts";
import { isoShipment, orderAnswer, type StoredOrder } from "../../domain/orders/order-answer.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { writtenOf } from "../intake/written.ts";
import { auditView, type PortalActor } from "../operations/audit-portal.ts";
import { loadPage } from "../operations/load-page.ts";
import { renderEach } from "../operations/render-each.ts";
import { openPatientId, patientIndex } from "../patients/patient-rows.ts";

export async function readOrder(deps: Deps, account_id: string, order_number: string): Promise<Order | undefined> {
  return withKeysOfNow(deps, async () => {
    const { formulary } = await readCatalogue(deps, account_id);
    const row = await loadOrder(deps.db, account_id, order_number);
    return row && orderAnswer(...answerParts(deps, account_id, row, formulary));
  });
}

export type OrderQuery = Omit<OrderFilter, "reference_index" | "patient_index"> & {
  reference: string | null;
  patient_id: string | null;
};

/** An order as a partner receives it, in its final JSON. */
export type OrderText = {
  order_number: string;
  order_position: number;
  patient_id: string;
  text: string;
  stamp: string;
  /** The catalogue that decided what is fillable, and the real time until which that stays true. A former one is freed. */
  decided_by: WeakRef<Formulary>;
  fresh_until_ms: number;
};

/** A page of orders, newest first, and the position of the next page. */
export async function readOrderTexts(
  deps: Deps,
  account_id: string,
  asked: OrderQuery,
  before: number,
  limit: number,
): Promise<{ orders: OrderText[]; next: number | null }> {
  const { reference, patient_id, ...others } = asked;
  const reference_index = reference === null ? null : deps.vault.blindIndex(reference, referencePlace(account_id));
  const patient_index = patient_id === null ? null : patientIndex(deps, account_id, patient_id);
  const filter: OrderFilter = { ...others, reference_index, patient_index };
  const { rows, more } = await loadPage(
    limit,
    (after: OrderText | undefined, most) =>
      textsOf(deps, account_id, () =>
        listOrderHeads(deps.db, account_id, filter, after?.order_position ?? before, most),
      ),
    ({ text }) => text.length,
  );
  return { orders: rows, next: more ? rows.at(-1)!.order_position : null };
}

/** The same as records. */
export async function readOrders(...asked: Parameters<typeof readOrderTexts>) {
  const { orders, next } = await readOrderTexts(...asked);
  return { orders: orders.map(({ text }) => JSON.parse(text) as Order), next };
}

export async function readOrderText(
  deps: Deps,
  account_id: string,
  order_number: string,
): Promise<OrderText | undefined> {
  const head = async () => {
    const found = await loadOrderHead(deps.db, account_id, order_number);
    return found === undefined ? [] : [found];
  };
  return (await textsOf(deps, account_id, head))[0];
}

/** An order that changes faster than this is shown as it was a moment later. */
const MOST_TRIES = 3;

/**
 * The answers about some orders. Loads, opens and renders only the orders that changed since this process last did. If
 * one changes in between, it asks for the heads again, because it may no longer belong to the list.
 */
async function textsOf(deps: Deps, account_id: string, listHeads: () => Promise<OrderHead[]>): Promise<OrderText[]> {
  const { orders } = deps.copies;
  const keyOf = (order_number: string) => `${account_id} ${order_number}`;
  for (let tries = 1; ; tries++) {
    const { formulary } = await readCatalogue(deps, account_id);
    const heads = await listHeads();
    const found = heads.map(({ order_number, stamp }) => {
      const known = orders.get(keyOf(order_number));
      const fresh =
        known?.stamp === stamp && known.decided_by.deref() === formulary && deps.now().getTime() < known.fresh_until_ms;
      return fresh ? known : undefined;
    });
    const missing = heads.filter((_, index) => found[index] === undefined);
    if (missing.length === 0) return found as OrderText[];
    const loaded = await renderOrders(
      deps,
      account_id,
      missing.map(({ order_number }) => order_number),
      formulary,
    );
    for (const [order_number, order] of loaded) orders.set(keyOf(order_number), order);
    const changed = missing.some(({ order_number, stamp }) => loaded.get(order_number)?.stamp !== stamp);
    if (changed && tries < MOST_TRIES) continue;
    return heads.flatMap(({ order_number }, index) => found[index] ?? loaded.get(order_number) ?? []);
  }
}

async function renderOrders(
  deps: Deps,
  account_id: string,
  order_numbers: string[],
  formulary: Formulary,
): Promise<Map<string, OrderText>> {
  return withKeysOfNow(deps, async () => {
    const patient_ids: string[] = [];
    const fresh_until: number[] = [];
    const decided_by = new WeakRef(formulary);
    const rows = await loadOrders(deps.db, account_id, order_numbers);
    const texts = await renderEach(rows, (row) => {
      const [order, prescriptions, rules] = answerParts(deps, account_id, row, formulary);
      patient_ids.push(order.patient_id);
      fresh_until.push(fillabilityLasts(prescriptions, rules) - row.clock_offset_s * 1000);
      return JSON.stringify(orderAnswer(order, prescriptions, rules));
    });
    return new Map(
      rows.map(({ order_number, order_position, stamp }, at) => [
        order_number,
        {
          ...{ order_number, order_position, patient_id: patient_ids[at]!, text: texts[at]!, stamp },
          ...{ decided_by, fresh_until_ms: fresh_until[at]! },
        },
      ]),
    );
  });
}

/** An unsealed order with its state, for deciding a change. */
export async function loadStoredOrder(deps: Deps, account_id: string, order_number: string, db: Queryable = deps.db) {
  const row = await loadOrder(db, account_id, order_number);
  return row && openOrder(deps, account_id, row);
}

function answerParts(deps: Deps, account_id: string, row: OrderRow, formulary: Formulary) {
  const { order, prescriptions } = openOrder(deps, account_id, row);
  return [order, prescriptions, fillRules(deps, formulary, row.clock_offset_s)] as const;
}

/** What decides now, by the account's clock, whether a prescription can be filled. */
export function fillRules(deps: Pick<Deps, "now" | "config">, formulary: Formulary, clock_offset_s: number): FillRules {
  const now = accountNow(deps.now(), clock_offset_s);
  const time_zone = deps.config.TIME_ZONE;
  return { formulary, time_zone, now, today: dateIn(time_zone, now) };
}

/** Unseals an order. Labels and payment tokens stay sealed until the caller asks for them. */
export function openOrder(deps: Deps, account_id: string, row: OrderRow) {
  const { order_number, address_sealed, label_format, exceptions, prescriptions } = row;
  const { revision, stage, held_from, sequence, clock_offset_s, payment_token_sealed } = row;
  const open = (column: SealedOrderColumn, sealed: Buffer) =>
    deps.vault.open(sealed, orderPlace(column, account_id, order_number)).toString("utf8");
  const patient_id = openPatientId(deps, account_id, row);
  // Each field by name: a copy of the whole row takes longer than all else here but the decryption.
  const order: StoredOrder = {
    order_number,
    order_status: row.order_status,
    patient_id,
    brand_id: row.brand_id,
    reference: openReference(deps, {
      account_id,
      order_number,
      reference: row.reference,
      reference_sealed: row.reference_sealed,
    }),
    workflow: row.workflow,
    created_at: row.created_at,
    updated_at: row.updated_at,
    shipping_method_id: row.shipping_method_id,
    carrier: row.carrier,
    signature_confirmation: row.signature_confirmation,
    label: label_format && { format: label_format, carrier: row.label_carrier, tracking_no: row.label_tracking_no },
    address: address_sealed && (JSON.parse(open("address_sealed", address_sealed)) as Address),
    items: row.items,
    prescribed: row.prescribed,
    drug_schedule: row.drug_schedule,
    exceptions: exceptions.map((one) => ({ ...one, raised_at: new Date(one.raised_at) })),
    payer: row.payer,
    payment_status: row.payment_status,
    amount_cents: row.amount_cents,
    captured_cents: row.captured_cents,
    refunded_cents: row.refunded_cents,
    shipments: (row.shipments ?? []).map(isoShipment),
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
    prescriptions: prescriptions.map((one) => ({
      ...one,
      ...writtenOf(deps.vault, account_id, one),
      // An order has only prescriptions of its patient.
      patient_id,
      received_at: new Date(one.received_at),
      expires_at: new Date(one.expires_at),
    })),
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
