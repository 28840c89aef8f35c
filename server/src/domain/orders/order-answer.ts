import {
  type Address,
  type DrugSchedule,
  type ExceptionId,
  exceptionRow,
  isPaymentDecline,
  type KnownOfHold,
  type labelFormats,
  type MedicationRequest,
  type Order,
  type OrderException,
  type OrderStatus,
  orderActionsOf,
  type Payment,
  type payers,
  paymentDeclines,
  type paymentStatuses,
  type Shipment,
  type TriedOrder,
  type Workflow,
} from "@pestle/contract";
import { strictest } from "../catalogue/controlled-drugs.ts";
import type { Formulary } from "../catalogue/formulary.ts";
import { medicationRequest, type PrescriptionFacts } from "../intake/medication-request.ts";
import type { FillRules } from "./fillability.ts";
import { situationsOf } from "./situations.ts";

/** A stored order, decrypted: the source of every response and event about it. */
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
  /** It sends RX_UPDATED even after items were removed. Only an order with nothing but OTC products never does. */
  prescribed: boolean;
  /** The strictest schedule of its products and prescriptions. */
  drug_schedule: DrugSchedule;
  /** `elsewhere`: it rests on other partners' data alone. `situations`: what was known when it was raised. */
  exceptions: { id: ExceptionId; raised_at: Date; elsewhere?: boolean; situations?: readonly KnownOfHold[] }[];
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
  /** Also true while the prescription is missing (exception 73). */
  needs_prescription: boolean;
  sku: string;
  ndc: string | null;
  gcn: string | null;
  quantity: number;
  package_size: number;
};

export const CURRENCY = "USD";

/** `prescriptions` are those of the items, each with its units ordered so far. */
export function orderAnswer(order: StoredOrder, prescriptions: readonly PrescriptionFacts[], rules: FillRules): Order {
  const exceptions = order.exceptions.map((exception) => exceptionAnswer(order, exception));
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
    medication_requests: medicationRequests(order, prescriptions, rules),
    shipments: order.shipments,
    exception: exceptions[0] ?? null,
    exceptions,
    payment: paymentAnswer(order),
  };
}

export const paymentAnswer = ({ payer, payment_status, amount_cents, refunded_cents }: StoredOrder): Payment => ({
  payer,
  status: payment_status,
  amount_cents,
  currency: CURRENCY,
  refunded_cents,
});

/** The order of a dry run. No order has a number yet. */
export const triedAnswer = (order: Order): TriedOrder => ({
  ...order,
  order_number: null,
  medication_requests: order.medication_requests.map((request) => ({
    ...request,
    medication_dispenses: request.medication_dispenses.map((dispense) => ({ ...dispense, order_number: null })),
  })),
});

/** The prescriptions of an order, each with the dispenses of this order. */
export function medicationRequests(
  { order_number, order_status, items, workflow, shipments }: StoredOrder,
  prescriptions: readonly PrescriptionFacts[],
  rules: FillRules,
): MedicationRequest[] {
  return prescriptions.map((prescription) => {
    const own = items.filter(({ prescription_id }) => prescription_id === prescription.prescription_id);
    return medicationRequest(
      prescription,
      workflow,
      rules,
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

/** All that a partner learns about an order that is held because of what another partner knows. */
const REVIEW_MESSAGE = "A pharmacist must review this order.";

export function exceptionAnswer(
  order: StoredOrder,
  { id, raised_at, elsewhere, situations = [] }: StoredOrder["exceptions"][number],
): OrderException {
  const { name, message: usual } = exceptionRow(id);
  const message = elsewhere ? REVIEW_MESSAGE : (declineMessage(situations) ?? usual);
  const order_actions = orderActionsOf(id, situationsOf(order, id));
  return { id, name, message, raised_at: raised_at.toISOString(), order_actions };
}

/** Why the payment provider declined a card, with the link under which the patient can confirm the payment. */
function declineMessage(known: readonly KnownOfHold[]): string | undefined {
  const decline = known.find(isPaymentDecline);
  if (decline === undefined) return undefined;
  const link = known.find((one) => one.startsWith("link "))?.slice("link ".length);
  return link === undefined ? paymentDeclines[decline] : `${paymentDeclines[decline]} ${link}`;
}

/** Converts times to the wire format, which differs from how the database writes them in JSON. */
export const isoShipment = ({ shipped_at, delivered_at, ...shipment }: Shipment): Shipment => ({
  ...shipment,
  shipped_at: new Date(shipped_at).toISOString(),
  delivered_at: delivered_at && new Date(delivered_at).toISOString(),
});

/** Maximum orders of one account per millisecond. Positions stay below 2^53 until the year 2248. */
const PER_MS = 1_024;

/**
 * The position of an order in a list, newest first: its time, and the low bits of its first dispense ID to separate
 * orders of the same millisecond. A time is therefore a position in every list, and cursors stay stable.
 */
export const orderPosition = (created_at: Date, dispense_id: number): number =>
  firstPositionAt(created_at) + (dispense_id % PER_MS);

/** The first position at or after a time. All earlier orders come before it. */
export const firstPositionAt = (time: Date): number => time.getTime() * PER_MS;

/** The strictest schedule of an order's products and prescriptions. */
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
