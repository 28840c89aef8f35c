import type { ActionKey } from "../actions.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { Workflow } from "../fields.ts";
import type { OrderStatus } from "../lifecycle.ts";
import type { RenewalStatus } from "../renewals.ts";
import type { ConsentMethod, ScheduleStatus } from "../schedules/schedules.ts";
import type { EventType } from "../webhooks/webhooks.ts";
import type { Step } from "./arazzo-step.ts";
import {
  deliverOrder,
  getToken,
  hearOfException,
  hearOfShipment,
  monthly,
  moveClock,
  orderSteps,
  readOrder,
  receivePrescription,
  resolveException,
  simpleOrder,
} from "./arazzo-steps.ts";

/** Both workflows of an account, and what follows in its life. */
export type WorkflowId = Workflow | "refill_schedule" | "answer_the_pharmacy" | "month_end" | "renewal";
type WorkflowSteps = {
  summary: string;
  description: string;
  steps: readonly Step[];
  /** Beside the order's number and its tracking number. */
  outputs?: Readonly<Record<string, string>>;
};

const ORDER = "$steps.findOrder.outputs.order_number";
const PRESCRIPTION = "$steps.receivePrescription.outputs.prescription_id";

/** What a partner does, by workflow. Each begins with the credentials. */
export const workflowSteps: Record<WorkflowId, WorkflowSteps> = {
  api_driven: {
    summary: "API Driven: the partner requests each fill",
    description:
      "A received prescription does not create an order. The partner receives a webhook, matches the patient and requests the fill, for example after its own payment is complete.",
    steps: [
      getToken,
      receivePrescription("A prescriber sends a prescription.", monthly(2)),
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
      ...orderSteps("$steps.matchPatient.outputs.patient_id", {
        reference: "invoice-1",
        shipping: { method_id: "$steps.chooseShipping.outputs.method_id" },
        items: [
          {
            prescription_id: "$steps.readPrescription.outputs.prescription_id",
            quantity: 1,
            package_size: "$steps.readPrescription.outputs.written_qty",
          },
        ],
      }),
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
      receivePrescription("A prescriber sends a prescription without the patient's email address.", {
        drug_name: "Atorvastatin 20 mg tablet",
        written_qty: 30,
        patient: { email: null },
      }),
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
      receivePrescription("A prescriber sends a prescription with refills.", monthly(5)),
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
      moveClock("45 days pass. The service makes two orders, and the pharmacy ships them.", 45),
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
  answer_the_pharmacy: {
    summary: "Messages: the pharmacy asks, and the answer ends the hold",
    description:
      "A question of the pharmacy can hold an order. The partner hears of it, reads it and answers it, and the order continues.",
    steps: [
      getToken,
      ...simpleOrder(0),
      {
        step_id: "askPartner",
        description: "The pharmacy asks about the quantity. The question holds the order.",
        operation_id: "simulate",
        body: {
          simulation_type: "message",
          simulation: {
            order_number: ORDER,
            exception_id: 72 satisfies ExceptionId,
            text: "The last fill was 90 tablets. Did you mean to order 30?",
          },
        },
        outputs: { message_id: "/message_id" },
      },
      {
        step_id: "hearOfMessage",
        description: "The content of the webhook: the order and the message, without its text.",
        operation_id: "listWebhookEvents",
        given: { event_type: "MESSAGE_RECEIVED" satisfies EventType, order_number: ORDER },
        expect: { "/webhook_events/0/event_type": "MESSAGE_RECEIVED" satisfies EventType },
      },
      {
        step_id: "readMessages",
        description: "The thread about the order, newest message first.",
        operation_id: "listOrderMessages",
        given: { order_number: ORDER },
        expect: { "/messages/0/author": "pharmacy", "/messages/0/exception_id": 72 satisfies ExceptionId },
        outputs: { message_id: "/messages/0/message_id" },
      },
      {
        step_id: "answerQuestion",
        description: "The answer names the question, which ends the hold.",
        operation_id: "sendOrderMessage",
        given: { order_number: ORDER },
        body: { text: "Yes. The patient starts with a month.", in_reply_to: "$steps.readMessages.outputs.message_id" },
        expect: { "/author": "partner" },
      },
      {
        step_id: "seeOrderContinue",
        description: "The order is back in the queue that it came from.",
        operation_id: "getOrder",
        given: { order_number: ORDER },
        expect: { "/order_status": "Processing" satisfies OrderStatus },
      },
      deliverOrder,
      readOrder,
    ],
  },
  month_end: {
    summary: "Month-end: the partner checks what it owes",
    description:
      "The pharmacy books each item and parcel when an order ships. The partner reads the lines of the month, and keeps the statement after the month has closed, because it never changes then.",
    steps: [
      getToken,
      ...simpleOrder(0),
      deliverOrder,
      readOrder,
      {
        step_id: "listMonths",
        description: "The months with charges and refunds, newest first. The newest is still open.",
        operation_id: "listStatements",
        given: { limit: 1 },
        expect: { "/statements/0/status": "open" },
        outputs: { month: "/statements/0/month" },
      },
      {
        step_id: "readLines",
        description: "The lines of the month, oldest first: one per item, parcel, fee, refund and credit.",
        operation_id: "getStatement",
        given: { month: "$steps.listMonths.outputs.month" },
        expect: { "/status": "open", "/lines/0/kind": "item", "/lines/0/payer": "partner" },
      },
      moveClock("40 days pass. The month ends, and it closes three days later.", 40),
      {
        step_id: "keepStatement",
        description: "The closed month, with what the partner owes for it.",
        operation_id: "getStatement",
        given: { month: "$steps.listMonths.outputs.month" },
        expect: { "/status": "closed" },
        outputs: { month: "/month", due_cents: "/due_cents" },
      },
    ],
    outputs: {
      month: "$steps.keepStatement.outputs.month",
      due_cents: "$steps.keepStatement.outputs.due_cents",
    },
  },
  renewal: {
    summary: "Renewal: the pharmacy asks the prescriber for a new prescription",
    description:
      "A prescription has no refills left. The partner lets the pharmacy ask the prescriber, and receives the new prescription with the answer.",
    steps: [
      getToken,
      ...simpleOrder(0),
      deliverOrder,
      readOrder,
      {
        step_id: "askForRenewal",
        description: "The request. It is possible once the prescription was filled.",
        operation_id: "createRenewalRequest",
        given: { prescription_id: PRESCRIPTION },
        body: { refills: 3, note: "The patient has tablets for a week." },
        expect: { "/status": "queued" satisfies RenewalStatus },
        outputs: { renewal_request_id: "/renewal_request_id" },
      },
      {
        step_id: "readAnswer",
        description: "The request until the prescriber has answered it. In the sandbox that takes a second or two.",
        operation_id: "getRenewalRequest",
        given: {
          prescription_id: PRESCRIPTION,
          renewal_request_id: "$steps.askForRenewal.outputs.renewal_request_id",
        },
        expect: { "/status": "approved" satisfies RenewalStatus },
        outputs: { new_prescription_id: "/new_prescription_id" },
        while: { place: "/status", is: ["queued", "sent"] satisfies RenewalStatus[] },
      },
      {
        step_id: "hearOfPrescription",
        description: "The content of the webhook about the new prescription.",
        operation_id: "listWebhookEvents",
        given: { event_type: "RX_RECEIVED" satisfies EventType, limit: 1 },
        expect: { "/webhook_events/0/event_type": "RX_RECEIVED" satisfies EventType },
      },
    ],
    outputs: { new_prescription_id: "$steps.readAnswer.outputs.new_prescription_id" },
  },
};
