import { ErrorEntry } from "../error-bodies.ts";
import { order_number, order_status, patient_id } from "../fields.ts";
import { MedicationRequest, OrderActionRef, OrderException, Payment } from "../resources.ts";
import {
  array,
  date,
  integer,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  type Static,
  string,
  time,
} from "../schema.ts";
import { type EventType, patientFieldNames, prescriptionChangeNames } from "./webhooks.ts";

const every = <const T extends EventType>(event_type: T) => ({
  event_id: string({ format: "uuid", description: "The same on every attempt." }),
  event_type: oneOf([event_type]),
  timestamp: integer("When it happened, Unix time in seconds."),
});

const ofOrder = {
  patient_id,
  order_number,
  sequence: integer("Numbers the event-sending changes of one order. Events of the same change share it."),
};
const medication_requests = array(MedicationRequest);
const order_actions = array(OrderActionRef, "The same as `exception.order_actions`.");

/** The body of each event. It never contains a patient's name, an address, a date of birth or an identity document. */
export const webhookBodies = {
  RX_RECEIVED: named("RxReceived", object({ ...every("RX_RECEIVED"), patient_id, medication_requests })),
  RX_UPDATED: named("RxUpdated", object({ ...every("RX_UPDATED"), ...ofOrder, medication_requests })),
  SHIPMENT_UPDATED: named("ShipmentUpdated", object({ ...every("SHIPMENT_UPDATED"), ...ofOrder, medication_requests })),
  ORDER_EXCEPTION: named(
    "OrderExceptionRaised",
    object({ ...every("ORDER_EXCEPTION"), ...ofOrder, exception: OrderException, order_actions }),
  ),
  ORDER_UPDATED: named(
    "OrderUpdated",
    object({
      ...every("ORDER_UPDATED"),
      ...ofOrder,
      order_status,
      previous_order_status: nullable(order_status),
    }),
  ),
  MESSAGE_RECEIVED: named(
    "MessageReceived",
    object({
      ...every("MESSAGE_RECEIVED"),
      patient_id,
      order_number,
      message_id: string({ format: "uuid", description: "The message. The event does not carry its text." }),
    }),
  ),
  RX_STATUS_CHANGED: named(
    "RxStatusChanged",
    object({
      ...every("RX_STATUS_CHANGED"),
      patient_id,
      change: oneOf(prescriptionChangeNames, "What happened to the prescription."),
      medication_requests: array(
        MedicationRequest,
        "The prescription after the change. Only `last_refill` lists dispenses: those of the order.",
      ),
      order_errors: array(ErrorEntry, "The prescription's `order_errors`. Always empty without Automatic Processing."),
    }),
  ),
  PAYMENT_UPDATED: named(
    "PaymentUpdated",
    object({ ...every("PAYMENT_UPDATED"), patient_id, order_number, payment: Payment }),
  ),
  PATIENT_UPDATED: named(
    "PatientUpdated",
    object({
      ...every("PATIENT_UPDATED"),
      patient_id,
      changed: array(oneOf(patientFieldNames), "The fields that changed. The event does not carry their values."),
    }),
  ),
  REFILL_UPCOMING: named(
    "RefillUpcoming",
    object({
      ...every("REFILL_UPCOMING"),
      patient_id,
      schedule_id: string({ format: "uuid", description: "The refill schedule." }),
      fill_on: date("The day on which the schedule orders the fill."),
      medication_requests,
      problems: array(
        object({ code: integer("The code that `POST /orders` would answer."), message: string() }),
        "Why the order would be refused on that day. Empty if nothing is wrong now.",
      ),
    }),
  ),
  DATA_LOST: named(
    "DataLost",
    object({
      ...every("DATA_LOST"),
      lost_from: time("Everything that Pestle answered before is there. Real time, also in the sandbox."),
      lost_until: time("Everything that Pestle answered after is there."),
    }),
  ),
  ENDPOINT_DISABLED: named(
    "EndpointDisabled",
    object({
      ...every("ENDPOINT_DISABLED"),
      endpoint_id: string({ format: "uuid" }),
      reason: string("Why it was disabled."),
    }),
  ),
} as const satisfies Record<EventType, Schema>;

export type WebhookBodyOf<T extends EventType> = Static<(typeof webhookBodies)[T]>;
/** Any event. `event_type` discriminates. */
export type WebhookBody = { [T in EventType]: WebhookBodyOf<T> }[EventType];
