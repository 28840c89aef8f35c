import { orderActionsOf } from "../order-actions.ts";
import type { WebhookBodyOf } from "../webhooks/webhook-bodies.ts";
import type { EventType } from "../webhooks/webhooks.ts";
import { orderedPrescription, prescription, shippedPrescription } from "./example-records.ts";

const first = <const T extends EventType>(event_type: T) => ({
  event_id: "019a8712-04c0-7b3e-9d0e-3c8a1b2d4e5f",
  event_type,
  timestamp: 1_794_733_800,
});
const order = { patient_id: "ay87nt", order_number: "7K2M9XQ4TB", sequence: 1 };
const order_actions = orderActionsOf(65);

/** An example body of each event. */
export const webhookExamples: { [T in EventType]: WebhookBodyOf<T> } = {
  RX_RECEIVED: {
    ...first("RX_RECEIVED"),
    patient_id: "ay87nt",
    medication_requests: [prescription],
  },
  RX_UPDATED: { ...first("RX_UPDATED"), ...order, medication_requests: [orderedPrescription] },
  SHIPMENT_UPDATED: {
    ...first("SHIPMENT_UPDATED"),
    ...order,
    sequence: 3,
    medication_requests: [shippedPrescription],
  },
  ORDER_EXCEPTION: {
    ...first("ORDER_EXCEPTION"),
    ...order,
    exception: {
      id: 65,
      name: "Missing Email",
      message: "The patient's email must be updated.",
      raised_at: "2026-11-15T09:10:00.000Z",
      order_actions,
    },
    order_actions,
  },
  ORDER_UPDATED: {
    ...first("ORDER_UPDATED"),
    ...order,
    order_status: "Processing",
    previous_order_status: null,
  },
  MESSAGE_RECEIVED: {
    ...first("MESSAGE_RECEIVED"),
    patient_id: order.patient_id,
    order_number: order.order_number,
    message_id: "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42",
  },
  RX_STATUS_CHANGED: {
    ...first("RX_STATUS_CHANGED"),
    patient_id: order.patient_id,
    change: "expiring",
    medication_requests: [prescription],
    order_errors: [],
  },
  PAYMENT_UPDATED: {
    ...first("PAYMENT_UPDATED"),
    patient_id: order.patient_id,
    order_number: order.order_number,
    payment: { payer: "partner", status: "captured", amount_cents: 1_695, currency: "USD", refunded_cents: 0 },
  },
  PATIENT_UPDATED: {
    ...first("PATIENT_UPDATED"),
    patient_id: order.patient_id,
    changed: ["email", "addresses"],
  },
  REFILL_UPCOMING: {
    ...first("REFILL_UPCOMING"),
    patient_id: order.patient_id,
    schedule_id: "019a8c02-51d7-7f0a-8b6e-90c1d2e3f4a5",
    fill_on: "2026-12-15",
    medication_requests: [prescription],
    problems: [],
  },
  DATA_LOST: {
    ...first("DATA_LOST"),
    lost_from: "2026-11-15T08:29:58.120Z",
    lost_until: "2026-11-15T08:30:00.000Z",
  },
  ENDPOINT_DISABLED: {
    ...first("ENDPOINT_DISABLED"),
    endpoint_id: "5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8",
    reason: "failing",
  },
};
