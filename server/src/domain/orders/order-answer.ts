import {
  type Address,
  type DrugSchedule,
  type ExceptionId,
  exceptionRow,
  type labelFormats,
  type MedicationRequest,
  type Order,
  type OrderException,
  type OrderStatus,
  orderActionsOf,
  type payers,
  type paymentStatuses,
  type Shipment,
  type Workflow,
} from "@pestle/contract";
import { strictest } from "../catalogue/controlled-drugs.ts";
import type { Formulary } from "../catalogue/formulary.ts";
import { medicationRequest, type PrescriptionFacts } from "../intake/medication-request.ts";

/** An order as it is kept, opened: what every answer and every event about it is made of. */
export type StoredOrder = {
  order_number: string;
  order_status: OrderStatus;
  patient_id: string;
  brand_id: number | null;
  reference: string | null;
  workflow: Workflow;
  created_at: Date;
  updated_at: Date;
  shipping_method_id: number;
  carrier: string;
  signature_confirmation: boolean;
  label: { format: (typeof labelFormats)[number]; carrier: string | null; tracking_no: string | null } | null;
  address: Address | null;
  items: StoredItem[];
  /** It tells of prescriptions (RX_UPDATED), whatever items were removed since: only one of OTC products alone never does. */
  prescribed: boolean;
  exceptions: { id: ExceptionId; raised_at: Date }[];
  payer: (typeof payers)[number];
  payment_status: (typeof paymentStatuses)[number];
  amount_cents: number;
  captured_cents: number;
  refunded_cents: number;
  shipments: Shipment[];
};
export type StoredItem = {
  item_id: number;
  dispense_id: number;
  prescription_id: number | null;
  /** Also while the prescription is missing (exception 73). */
  needs_prescription: boolean;
  sku: string;
  ndc: string | null;
  gcn: string | null;
  quantity: number;
  package_size: number;
};

export const CURRENCY = "USD";

/** `prescriptions` are those of the items, each with the units that are ordered by now. */
export function orderAnswer(order: StoredOrder, prescriptions: readonly PrescriptionFacts[]): Order {
  const exceptions = order.exceptions.map(({ id, raised_at }) => exceptionAnswer(id, raised_at));
  return {
    order_number: order.order_number,
    order_status: order.order_status,
    patient_id: order.patient_id,
    brand_id: order.brand_id,
    reference: order.reference,
    workflow: order.workflow,
    created_at: order.created_at.toISOString(),
    updated_at: order.updated_at.toISOString(),
    shipping: {
      method_id: order.shipping_method_id,
      carrier: order.carrier,
      signature_confirmation: order.signature_confirmation,
      ...(order.label && {
        label: {
          format: order.label.format,
          carrier: order.label.carrier ?? order.carrier,
          tracking_no: order.label.tracking_no ?? "",
        },
      }),
    },
    address: order.address,
    items: order.items.map(({ item_id, prescription_id, sku, ndc, quantity, package_size, dispense_id }) => ({
      item_id,
      prescription_id,
      sku,
      ndc,
      quantity,
      package_size,
      dispense_id,
    })),
    medication_requests: medicationRequests(order, prescriptions),
    shipments: order.shipments,
    exception: exceptions[0] ?? null,
    exceptions,
    payment: {
      payer: order.payer,
      status: order.payment_status,
      amount_cents: order.amount_cents,
      currency: CURRENCY,
      refunded_cents: order.refunded_cents,
    },
  };
}

/** The prescriptions of an order, each with the dispenses of this order. */
export function medicationRequests(
  { order_number, order_status, items, workflow, shipments }: StoredOrder,
  prescriptions: readonly PrescriptionFacts[],
): MedicationRequest[] {
  return prescriptions.map((prescription) => {
    const own = items.filter(({ prescription_id }) => prescription_id === prescription.prescription_id);
    return medicationRequest(
      prescription,
      workflow,
      own.map(({ dispense_id, ndc, quantity, package_size }) => ({
        dispense_id,
        order_number,
        order_status,
        ndc: ndc ?? "",
        quantity,
        package_size,
        shipment: shipments[0] ?? null,
      })),
    );
  });
}

export function exceptionAnswer(id: ExceptionId, raised_at: Date): OrderException {
  const { name, message } = exceptionRow(id);
  return { id, name, message, raised_at: raised_at.toISOString(), order_actions: orderActionsOf(id) };
}

/** Times as the wire has them; the database writes them otherwise inside JSON. */
export const isoShipment = ({ shipped_at, delivered_at, ...shipment }: Shipment): Shipment => ({
  ...shipment,
  shipped_at: new Date(shipped_at).toISOString(),
  delivered_at: delivered_at && new Date(delivered_at).toISOString(),
});

/** Orders of one account that one millisecond has room for; positions stay below 2^53 until the year 2248. */
const PER_MS = 1_024;

/**
 * Where an order stands in a list, which is newest first: its time, and the end of its first dispense's number, which
 * tells it from others of the same millisecond. So a time is a place in every list, and a cursor stays where it is.
 */
export const orderPosition = (created_at: Date, dispense_id: number): number =>
  firstPositionAt(created_at) + (dispense_id % PER_MS);

/** All orders from that time on stand here or later, and all from before it earlier. */
export const firstPositionAt = (time: Date): number => time.getTime() * PER_MS;

/** The strictest schedule of an order's products and of the prescriptions that they fill. */
export const orderSchedule = (
  items: readonly Pick<StoredItem, "sku" | "prescription_id">[],
  prescriptions: readonly { prescription_id: number; drug_schedule: DrugSchedule }[],
  { by_sku }: Pick<Formulary, "by_sku">,
): DrugSchedule =>
  strictest(
    items.flatMap(({ sku, prescription_id }) => [
      by_sku.get(sku)?.drug_schedule ?? "0",
      prescriptions.find((one) => one.prescription_id === prescription_id)?.drug_schedule ?? "0",
    ]),
  );
