import type { ActionKey } from "../actions.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { OrderStatus } from "../lifecycle.ts";
import type { EventType } from "../webhooks/webhooks.ts";
import type { Step } from "./arazzo-step.ts";

/* Steps that several workflows share. */

export const getToken: Step = {
  step_id: "getToken",
  description: "An access token, from the sandbox's token server.",
  operation_id: "issueToken",
  body: {
    grant_type: "client_credentials",
    scope: "partners",
    client_id: "$inputs.client_id",
    client_secret: "$inputs.client_secret",
  },
  outputs: { access_token: "/access_token" },
};

/** In the sandbox the partner plays the prescriber. */
export const receivePrescription = (description: string, simulation: object): Step => ({
  step_id: "receivePrescription",
  description,
  operation_id: "simulate",
  body: { simulation_type: "prescription", simulation },
  outputs: { patient_id: "/patient_id", prescription_id: "/prescription_id" },
});

/** A prescription for a month's supply. */
export const monthly = (refills_left: number) => ({
  drug_name: "Atorvastatin 20 mg tablet",
  written_qty: 30,
  days_supply: 30,
  refills_left,
});

/** The fill request, and the order that it created. */
export const orderSteps = (patient_id: string, body: object): readonly [Step, Step] => [
  {
    step_id: "createOrder",
    description: "The fill request. A 409 means that the same request was sent a moment ago: look the order up first.",
    operation_id: "createOrder",
    body: { ...body, patient: { patient_id } },
    after_409: "findOrder",
  },
  {
    step_id: "findOrder",
    description: "The patient's orders, newest first.",
    operation_id: "listOrders",
    given: { patient_id, limit: 1 },
    expect: { "/orders/0/order_status": "Processing" satisfies OrderStatus },
    outputs: { order_number: "/orders/0/order_number" },
  },
];

/** The shortest way from a prescription to an order in review. */
export const simpleOrder = (refills_left: number): readonly Step[] => [
  receivePrescription("A prescriber sends a prescription.", monthly(refills_left)),
  ...orderSteps("$steps.receivePrescription.outputs.patient_id", {
    shipping: { method_id: 1 },
    items: [{ prescription_id: "$steps.receivePrescription.outputs.prescription_id" }],
  }),
];

export const moveClock = (description: string, days: number): Step => ({
  step_id: "moveClock",
  description,
  operation_id: "simulate",
  body: { simulation_type: "clock", simulation: { advance_seconds: days * 86_400 } },
});

export const deliverOrder: Step = {
  step_id: "deliverOrder",
  description: "The pharmacy checks, fills and ships the order, and the carrier delivers it.",
  operation_id: "simulate",
  body: {
    simulation_type: "order",
    simulation: { order_number: "$steps.findOrder.outputs.order_number", to: "Delivered" satisfies OrderStatus },
  },
  expect: { "/order_status": "Delivered" satisfies OrderStatus },
};

export const hearOfShipment: Step = {
  step_id: "hearOfShipment",
  description: "The content of the shipment webhook: the prescription's fill and its parcel.",
  operation_id: "listWebhookEvents",
  given: {
    event_type: "SHIPMENT_UPDATED" satisfies EventType,
    order_number: "$steps.findOrder.outputs.order_number",
  },
  expect: { "/webhook_events/0/body/medication_requests/0/medication_dispenses/0/shipment/status": "label_created" },
};

export const readOrder: Step = {
  step_id: "readOrder",
  description: "The delivered order.",
  operation_id: "getOrder",
  given: { order_number: "$steps.findOrder.outputs.order_number" },
  expect: { "/order_status": "Delivered" satisfies OrderStatus, "/shipments/0/status": "delivered" },
  outputs: { order_number: "/order_number", tracking_no: "/shipments/0/tracking_no" },
};

/** An order On Hold sends this webhook, which lists the actions that resolve the hold. */
export const hearOfException = (exception_id: ExceptionId, action: ActionKey): Step => ({
  step_id: "hearOfException",
  description: "The content of the exception webhook: why the order is on hold, and the actions that resolve it.",
  operation_id: "listWebhookEvents",
  given: {
    event_type: "ORDER_EXCEPTION" satisfies EventType,
    order_number: "$steps.findOrder.outputs.order_number",
  },
  expect: {
    "/webhook_events/0/body/exception/id": exception_id,
    "/webhook_events/0/body/order_actions/0/event_key": action,
  },
  outputs: { event_key: "/webhook_events/0/body/order_actions/0/event_key" },
});

export const resolveException = (more: Record<string, string>): Step => ({
  step_id: "resolveException",
  description: "The first action that the webhook offered. The order returns to its previous stage.",
  operation_id: "requestOrderAction",
  given: { order_number: "$steps.findOrder.outputs.order_number" },
  body: { event: "$steps.hearOfException.outputs.event_key", ...more },
  expect: { "/order/order_status": "Processing" satisfies OrderStatus },
});
