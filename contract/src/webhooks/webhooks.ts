type EventRow = {
  readonly sent_when: string;
  /** In addition to `event_id`, `event_type` and `timestamp`, which every event has. */
  readonly fields: readonly string[];
  /** Sent only to endpoints that subscribe to it by name. */
  readonly opt_in: boolean;
};

/** What happened to a prescription: the values of `change` in RX_STATUS_CHANGED. */
export const prescriptionChanges = {
  accepted: "A pharmacist accepted it. It can be filled.",
  rejected: "A pharmacist rejected it. It is never filled.",
  canceled: "The prescriber canceled it.",
  replaced: "The prescriber replaced it. RX_RECEIVED tells you about the new one.",
  expiring: "It expires in 30 days. A prescription that arrives with fewer days left does not send it.",
  expired: "It has expired.",
  order_failed:
    "Automatic Processing could not create its order, and `order_errors` has other errors than the last event about it.",
  last_refill: "An order took its last refill.",
} as const;
export type PrescriptionChange = keyof typeof prescriptionChanges;
export const prescriptionChangeNames = Object.keys(prescriptionChanges) as [
  PrescriptionChange,
  ...PrescriptionChange[],
];

/** The fields of a patient that PATIENT_UPDATED can name. */
export const patientFieldNames = [
  "email",
  "first_name",
  "last_name",
  "dob",
  "gender",
  "phone",
  "patient_safety",
  "addresses",
  "identity_documents",
] as const;
export type PatientField = (typeof patientFieldNames)[number];

/** Events for partners. `webhook-bodies.ts` has the body schemas. */
export const eventTypes = {
  RX_RECEIVED: {
    sent_when: "A prescription was received.",
    fields: ["patient_id", "medication_requests"],
    opt_in: false,
  },
  RX_UPDATED: {
    sent_when: "An order with a prescription was created, or its `order_status` changed.",
    fields: ["patient_id", "order_number", "sequence", "medication_requests"],
    opt_in: false,
  },
  SHIPMENT_UPDATED: {
    sent_when: "A parcel was shipped, scanned, delivered, returned or lost.",
    fields: ["patient_id", "order_number", "sequence", "medication_requests"],
    opt_in: false,
  },
  ORDER_EXCEPTION: {
    sent_when: "An exception was raised on an order and the order is On Hold.",
    fields: ["patient_id", "order_number", "sequence", "exception", "order_actions"],
    opt_in: false,
  },
  ORDER_UPDATED: {
    sent_when: "An order was created, or its `order_status` changed, with or without a prescription.",
    fields: ["patient_id", "order_number", "sequence", "order_status", "previous_order_status"],
    opt_in: true,
  },
  MESSAGE_RECEIVED: {
    sent_when: "The pharmacy wrote a message about an order. Read it with `GET /orders/{order_number}/messages`.",
    fields: ["patient_id", "order_number", "message_id"],
    opt_in: true,
  },
  RX_STATUS_CHANGED: {
    sent_when:
      "A prescription was accepted, rejected, canceled or replaced, expires in 30 days or has expired, its automatic order failed, or an order took its last refill.",
    fields: ["patient_id", "change", "medication_requests", "order_errors"],
    opt_in: true,
  },
  PAYMENT_UPDATED: {
    sent_when: "The `payment` of an order changed after the order was created.",
    fields: ["patient_id", "order_number", "payment"],
    opt_in: true,
  },
  PATIENT_UPDATED: {
    sent_when:
      "You, the pharmacy, an order or an e-prescription changed a patient's record. Read it with `GET /patients/{patient_id}`.",
    fields: ["patient_id", "changed"],
    opt_in: true,
  },
  REFILL_UPCOMING: {
    sent_when:
      "A refill schedule will order its next fill on `fill_on`, its `lead_days` from now. `problems` says why that order would be refused.",
    fields: ["patient_id", "schedule_id", "fill_on", "medication_requests", "problems"],
    opt_in: true,
  },
  DATA_LOST: {
    sent_when:
      "The pharmacy's database lost its last writes, in a failover or a restore. What Pestle answered from `lost_from` to `lost_until` may be missing. Send those requests again with the same `Idempotency-Key`: Pestle replays what it has and repeats what it lost.",
    fields: ["lost_from", "lost_until"],
    opt_in: true,
  },
  ENDPOINT_DISABLED: {
    sent_when:
      "One of the account's webhook endpoints was disabled. The other endpoints receive it, and it is in the feed.",
    fields: ["endpoint_id", "reason"],
    opt_in: false,
  },
} as const satisfies Record<string, EventRow>;

export type EventType = keyof typeof eventTypes;
export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]];
/** What an endpoint without a list of events receives: all that are not opt-in. */
export const usualEventTypes = eventTypeNames.filter((name) => !eventTypes[name].opt_in);
export const isEventType = (name: string): name is EventType => Object.hasOwn(eventTypes, name);

/** The delay before each attempt, counted from the previous one. After the last attempt the delivery has failed. */
export const RETRY_DELAYS_S = [
  0,
  5,
  5 * 60,
  30 * 60,
  2 * 3600,
  5 * 3600,
  10 * 3600,
  14 * 3600,
  20 * 3600,
  24 * 3600,
] as const;
/** Each delay varies randomly by up to this share, so that endpoints that failed together retry at different times. */
export const RETRY_JITTER_SHARE = 0.1;
export const RETRY_AFTER_MAX_S = 24 * 3600;

export const CONNECT_TIMEOUT_S = 5;
export const RESPONSE_TIMEOUT_S = 15;
/** An endpoint that only failed for this long is disabled. */
export const DISABLE_AFTER_S = 5 * 24 * 3600;

/** Maximum endpoints of an account, including disabled ones. */
export const MOST_WEBHOOK_ENDPOINTS = 50;
/** Maximum length of an endpoint's secret and description. */
export const ENDPOINT_TEXT_MOST_CHARACTERS = 255;
/** Batch size of a redelivery request. More can remain. */
export const MOST_REDELIVERED_AT_ONCE = 10_000;
