import { exceptionRow } from "../exceptions.ts";
import { orderActionsOf } from "../order-actions.ts";
import type { MedicationRequest } from "../resources.ts";
import { disableReasons } from "./disable-reasons.ts";
import type { WebhookBodyOf } from "./webhook-bodies.ts";
import type { EventType } from "./webhooks.ts";

/** The fields of a body without its ID, type and time. */
export type EventFields<T extends EventType> = Omit<WebhookBodyOf<T>, "event_id" | "event_type" | "timestamp">;

const PATIENT_ID = "sample-patient";
const ORDER_NUMBER = "SAMP0000RX";
const NDC = "70999010130";
const HELD_BY = 66;

/** A sample event of each type. No account has this patient or order. */
export const sampleEvents: { [T in EventType]: (now: Date) => EventFields<T> } = {
  RX_RECEIVED: (now) => ({ patient_id: PATIENT_ID, medication_requests: [prescription(now)] }),
  RX_UPDATED: (now) => ({
    ...ofOrder(1),
    medication_requests: [{ ...prescription(now), medication_dispenses: [dispense("Processing")] }],
  }),
  SHIPMENT_UPDATED: (now) => ({
    ...ofOrder(4),
    medication_requests: [
      {
        ...prescription(now),
        medication_dispenses: [
          {
            ...dispense("Shipped"),
            shipment: {
              tracking_no: "9400100000000000000000",
              tracking_url: "https://carrier.example/track/9400100000000000000000",
              carrier: "USPS",
              method: "Ground",
              status: "label_created",
              shipped_at: now.toISOString(),
              delivered_at: null,
            },
          },
        ],
      },
    ],
  }),
  ORDER_EXCEPTION: (now) => {
    const { name, message } = exceptionRow(HELD_BY);
    const order_actions = orderActionsOf(HELD_BY);
    return {
      ...ofOrder(2),
      exception: { id: HELD_BY, name, message, raised_at: now.toISOString(), order_actions },
      order_actions,
    };
  },
  ORDER_UPDATED: () => ({ ...ofOrder(3), order_status: "Filling", previous_order_status: "Processing" }),
  MESSAGE_RECEIVED: () => ({
    patient_id: PATIENT_ID,
    order_number: ORDER_NUMBER,
    message_id: "00000000-0000-4000-8000-000000000000",
  }),
  RX_STATUS_CHANGED: (now) => ({
    patient_id: PATIENT_ID,
    change: "accepted",
    medication_requests: [{ ...prescription(now), acceptance: "accepted" }],
    order_errors: [],
  }),
  PAYMENT_UPDATED: () => ({
    patient_id: PATIENT_ID,
    order_number: ORDER_NUMBER,
    payment: { payer: "partner", status: "captured", amount_cents: 1_695, currency: "USD", refunded_cents: 0 },
  }),
  PATIENT_UPDATED: () => ({ patient_id: PATIENT_ID, changed: ["email"] }),
  REFILL_UPCOMING: (now) => ({
    patient_id: PATIENT_ID,
    schedule_id: "00000000-0000-4000-8000-000000000000",
    fill_on: new Date(now.getTime() + 7 * 86_400_000).toISOString().slice(0, 10),
    medication_requests: [prescription(now)],
    problems: [],
  }),
  DATA_LOST: (now) => ({
    lost_from: new Date(now.getTime() - 2_000).toISOString(),
    lost_until: now.toISOString(),
  }),
  ENDPOINT_DISABLED: () => ({
    endpoint_id: "00000000-0000-4000-8000-000000000000",
    reason: disableReasons.gone,
  }),
};

const ofOrder = (sequence: number) => ({ patient_id: PATIENT_ID, order_number: ORDER_NUMBER, sequence });

const dispense = (order_status: MedicationRequest["medication_dispenses"][number]["order_status"]) => ({
  dispense_id: 1,
  order_number: ORDER_NUMBER,
  order_status,
  ndc: NDC,
  quantity: 1,
  package_size: 90,
  shipment: null,
});

function prescription(now: Date): MedicationRequest {
  const today = now.toISOString().slice(0, 10);
  return {
    id: 1,
    prescription_id: 1,
    active: true,
    patient_id: PATIENT_ID,
    prescriber_name: "Sample Prescriber",
    prescriber_phone: "4155550100",
    prescriber_fax: null,
    receive_date: now.toISOString(),
    expire_date: new Date(now.getTime() + 365 * 86_400_000).toISOString(),
    written_date: today,
    effective_date: today,
    drug_name: "Atorvastatin 20 mg tablet",
    ndc: NDC,
    gcn: "90101",
    sig_text: "Take one tablet by mouth daily.",
    written_qty: 90,
    days_supply: 90,
    refills_left: 3,
    drug_schedule: "0",
    daw: false,
    acceptance: "not_needed",
    fillable: true,
    not_fillable: [],
    medication_dispenses: [],
  };
}
