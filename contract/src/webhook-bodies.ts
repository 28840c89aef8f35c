import { order_number, order_status, patient_id } from "./fields.ts";
import { MedicationRequest, OrderActionRef, OrderException } from "./resources.ts";
import { array, date, integer, named, nullable, object, oneOf, type Schema, type Static, string } from "./schema.ts";
import type { EventType } from "./webhooks.ts";

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
