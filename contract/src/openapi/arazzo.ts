import type { ActionKey } from "../actions.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { Workflow } from "../fields.ts";
import type { OrderStatus } from "../lifecycle.ts";
import type { ConsentMethod, ScheduleStatus } from "../schedules/schedules.ts";
import type { EventType } from "../webhooks/webhooks.ts";
import { arazzoStep, type Step } from "./arazzo-step.ts";

/** Both workflows of an account, and the refills after them. */
type WorkflowId = Workflow | "refill_schedule";

/** The Arazzo description of these workflows, each from the credentials to a delivered order in the sandbox. */
export const arazzo = ({
  version,
  base_url,
  operator_name,
}: Record<"version" | "base_url" | "operator_name", string>) => ({
  arazzo: "1.0.1",
  info: {
    title: `${operator_name} partner workflows`,
    summary: "From a prescription to a delivered order",
    description:
      "The workflows from the partner's point of view, for a sandbox account. `POST /simulate` plays the prescriber, the pharmacy and the carrier; omit those steps in production. In production, register a webhook endpoint instead of reading the event feed.",
    version,
  },
  sourceDescriptions: [{ name: "partnerApi", url: `${base_url}/openapi.json`, type: "openapi" }],
  workflows: (Object.keys(workflowSteps) as WorkflowId[]).map((workflowId) => {
    const { summary, description, steps } = workflowSteps[workflowId];
    return {
      workflowId,
      summary,
      description,
      inputs: { $ref: "#/components/inputs/credentials" },
      steps: steps.map(arazzoStep),
      outputs: {
        order_number: "$steps.readOrder.outputs.order_number",
        tracking_no: "$steps.readOrder.outputs.tracking_no",
      },
    };
  }),
  components: {
    inputs: {
      credentials: {
        type: "object",
        required: ["client_id", "client_secret"],
        properties: {
          client_id: { type: "string", description: "From a sandbox credential with the scope `partners`." },
          client_secret: { type: "string", description: "Shown once, when the credential was created." },
        },
      },
    },
    parameters: {
      accept: { name: "Accept", in: "header", value: "application/json" },
      authorization: {
        name: "Authorization",
        in: "header",
        value: "Bearer {$steps.getToken.outputs.access_token}",
      },
    },
    failureActions: {
      waitAndSendAgain: {
        name: "waitAndSendAgain",
        type: "retry",
        retryAfter: 1,
        retryLimit: 5,
        criteria: [{ condition: "$statusCode == 429 || $statusCode == 503" }],
      },
    },
  },
});

const getToken: Step = {
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

const deliverOrder: Step = {
  step_id: "deliverOrder",
  description: "The pharmacy checks, fills and ships the order, and the carrier delivers it.",
  operation_id: "simulate",
  body: {
    simulation_type: "order",
    simulation: { order_number: "$steps.findOrder.outputs.order_number", to: "Delivered" satisfies OrderStatus },
  },
  expect: { "/order_status": "Delivered" satisfies OrderStatus },
};

const hearOfShipment: Step = {
  step_id: "hearOfShipment",
  description: "The content of the shipment webhook: the prescription's fill and its parcel.",
  operation_id: "listWebhookEvents",
  given: {
    event_type: "SHIPMENT_UPDATED" satisfies EventType,
    order_number: "$steps.findOrder.outputs.order_number",
  },
  expect: { "/webhook_events/0/body/medication_requests/0/medication_dispenses/0/shipment/status": "label_created" },
};

const readOrder: Step = {
  step_id: "readOrder",
  description: "The delivered order.",
  operation_id: "getOrder",
  given: { order_number: "$steps.findOrder.outputs.order_number" },
  expect: { "/order_status": "Delivered" satisfies OrderStatus, "/shipments/0/status": "delivered" },
  outputs: { order_number: "/order_number", tracking_no: "/shipments/0/tracking_no" },
};

/** An order On Hold sends this webhook, which lists the actions that resolve the hold. */
const hearOfException = (exception_id: ExceptionId, action: ActionKey): Step => ({
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

const resolveException = (more: Record<string, string>): Step => ({
  step_id: "resolveException",
  description: "The first action that the webhook offered. The order returns to its previous stage.",
  operation_id: "requestOrderAction",
  given: { order_number: "$steps.findOrder.outputs.order_number" },
  body: { event: "$steps.hearOfException.outputs.event_key", ...more },
  expect: { "/order/order_status": "Processing" satisfies OrderStatus },
});

const workflowSteps: Record<WorkflowId, { summary: string; description: string; steps: readonly Step[] }> = {
  api_driven: {
    summary: "API Driven: the partner requests each fill",
    description:
      "A received prescription does not create an order. The partner receives a webhook, matches the patient and requests the fill, for example after its own payment is complete.",
    steps: [
      getToken,
      {
        step_id: "receivePrescription",
        description: "A prescriber sends a prescription.",
        operation_id: "simulate",
        body: {
          simulation_type: "prescription",
          simulation: { drug_name: "Atorvastatin 20 mg tablet", written_qty: 30, days_supply: 30, refills_left: 2 },
        },
        outputs: { patient_id: "/patient_id" },
      },
      {
        step_id: "hearOfPrescription",
        description: "The content of the webhook: the patient and the prescription.",
        operation_id: "listWebhookEvents",
        given: { event_type: "RX_RECEIVED" satisfies EventType },
        expect: { "/webhook_events/0/event_type": "RX_RECEIVED" satisfies EventType },
      },
      {
        step_id: "matchPatient",
        description: "The patient that the webhook names.",
        operation_id: "getPatient",
        given: { patient_id: "$steps.receivePrescription.outputs.patient_id" },
        outputs: { patient_id: "/patient_id" },
      },
      {
        step_id: "readPrescription",
        description: "The prescriptions that can be filled.",
        operation_id: "listPatientPrescriptions",
        given: { patient_id: "$steps.matchPatient.outputs.patient_id", active: true },
        outputs: { prescription_id: "/medication_request/0/id", written_qty: "/medication_request/0/written_qty" },
      },
      {
        step_id: "chooseShipping",
        description: "The available shipping methods.",
        operation_id: "listShippingMethods",
        outputs: { method_id: "/shipping_methods/0/id" },
      },
      {
        step_id: "createOrder",
        description:
          "The fill request. A 409 means that the same request was sent a moment ago: look the order up first.",
        operation_id: "createOrder",
        body: {
          reference: "invoice-1",
          shipping: { method_id: "$steps.chooseShipping.outputs.method_id" },
          patient: { patient_id: "$steps.matchPatient.outputs.patient_id" },
          items: [
            {
              prescription_id: "$steps.readPrescription.outputs.prescription_id",
              quantity: 1,
              package_size: "$steps.readPrescription.outputs.written_qty",
            },
          ],
        },
        after_409: "findOrder",
      },
      {
        step_id: "findOrder",
        description: "The patient's orders, newest first.",
        operation_id: "listOrders",
        given: { patient_id: "$steps.matchPatient.outputs.patient_id", limit: 1 },
        expect: { "/orders/0/order_status": "Processing" satisfies OrderStatus },
        outputs: { order_number: "/orders/0/order_number" },
      },
      {
        step_id: "holdOrder",
        description: "The partner puts the order on hold, which raises an exception.",
        operation_id: "requestOrderAction",
        given: { order_number: "$steps.findOrder.outputs.order_number" },
        body: { event: "hold" satisfies ActionKey },
        expect: { "/order/order_status": "On Hold" satisfies OrderStatus },
      },
      hearOfException(64, "release"),
      resolveException({}),
      deliverOrder,
      hearOfShipment,
      readOrder,
    ],
  },
  automatic: {
    summary: "Automatic Processing: each prescription becomes an order",
    description:
      "A received prescription becomes an order immediately. Missing data raises an exception on the order. The partner resolves it and follows the order through webhooks.",
    steps: [
      getToken,
      {
        step_id: "receivePrescription",
        description: "A prescriber sends a prescription without the patient's email address.",
        operation_id: "simulate",
        body: {
          simulation_type: "prescription",
          simulation: { drug_name: "Atorvastatin 20 mg tablet", written_qty: 30, patient: { email: null } },
        },
        outputs: { patient_id: "/patient_id" },
      },
      {
        step_id: "findOrder",
        description: "The order exists and is on hold.",
        operation_id: "listOrders",
        given: { patient_id: "$steps.receivePrescription.outputs.patient_id" },
        expect: {
          "/orders/0/workflow": "automatic" satisfies Workflow,
          "/orders/0/order_status": "On Hold" satisfies OrderStatus,
        },
        outputs: { order_number: "/orders/0/order_number" },
      },
      hearOfException(65, "update_email"),
      resolveException({ email: "patient@mail.example" }),
      deliverOrder,
      hearOfShipment,
      readOrder,
    ],
  },
  refill_schedule: {
    summary: "Refill schedule: the service orders each fill on its day",
    description:
      "The patient agrees to refills once. The service orders the fills of the prescription with the usual checks, and tells the partner before each one.",
    steps: [
      getToken,
      {
        step_id: "receivePrescription",
        description: "A prescriber sends a prescription with refills.",
        operation_id: "simulate",
        body: {
          simulation_type: "prescription",
          simulation: { drug_name: "Atorvastatin 20 mg tablet", written_qty: 30, days_supply: 30, refills_left: 5 },
        },
        outputs: { patient_id: "/patient_id", prescription_id: "/prescription_id" },
      },
      {
        step_id: "createSchedule",
        description: "The schedule, with the patient's consent. The first fill is due today.",
        operation_id: "createRefillSchedule",
        body: {
          patient_id: "$steps.receivePrescription.outputs.patient_id",
          prescription_id: "$steps.receivePrescription.outputs.prescription_id",
          shipping: { method_id: 1 },
          consent: { given_at: "2026-01-05T09:00:00Z", method: "electronic" satisfies ConsentMethod },
        },
        expect: { "/status": "active" satisfies ScheduleStatus, "/interval_days": 30 },
        outputs: { schedule_id: "/schedule_id" },
      },
      {
        step_id: "moveClock",
        description: "45 days pass. The service makes two orders, and the pharmacy ships them.",
        operation_id: "simulate",
        body: { simulation_type: "clock", simulation: { advance_seconds: 45 * 86_400 } },
      },
      {
        step_id: "hearOfRefill",
        description: "The content of the notice before each fill.",
        operation_id: "listWebhookEvents",
        given: { event_type: "REFILL_UPCOMING" satisfies EventType },
        expect: { "/webhook_events/0/event_type": "REFILL_UPCOMING" satisfies EventType },
      },
      {
        step_id: "findOrder",
        description: "The schedule names its last order.",
        operation_id: "getRefillSchedule",
        given: { schedule_id: "$steps.createSchedule.outputs.schedule_id" },
        expect: { "/status": "active" satisfies ScheduleStatus },
        outputs: { order_number: "/last_order_number" },
      },
      readOrder,
    ],
  },
};
