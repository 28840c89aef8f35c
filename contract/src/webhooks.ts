type EventRow = {
  readonly sent_when: string;
  /** Beside `event_id`, `event_type` and `timestamp`, which every event has. */
  readonly fields: readonly string[];
  /** Sent only to endpoints that ask for it by name. */
  readonly opt_in: boolean;
};

/** What is told to partners. The bodies' schemas are in `webhook-bodies.ts`. */
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
    sent_when: "An exception was raised on an order: the order is On Hold.",
    fields: ["patient_id", "order_number", "sequence", "exception", "order_actions"],
    opt_in: false,
  },
  ORDER_UPDATED: {
    sent_when: "An order was created, or its `order_status` changed, with or without a prescription.",
    fields: ["patient_id", "order_number", "sequence", "order_status", "previous_order_status"],
    opt_in: true,
  },
  ENDPOINT_DISABLED: {
    sent_when: "One of the account's webhook endpoints was disabled; told to the others and in the feed.",
    fields: ["endpoint_id", "reason"],
    opt_in: false,
  },
} as const satisfies Record<string, EventRow>;

export type EventType = keyof typeof eventTypes;
export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]];
/** What an endpoint that names no events is sent: all but those that are opt-in. */
export const usualEventTypes = eventTypeNames.filter((name) => !eventTypes[name].opt_in);
export const isEventType = (name: string): name is EventType => Object.hasOwn(eventTypes, name);

/** The wait before each attempt, counted from the one before it. After the last the delivery has failed. */
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
/** Each wait is stretched or shortened by up to this share, so that endpoints that failed together part ways. */
export const RETRY_JITTER_SHARE = 0.1;
export const RETRY_AFTER_MAX_S = 24 * 3600;

export const CONNECT_TIMEOUT_S = 5;
export const RESPONSE_TIMEOUT_S = 15;
/** An endpoint that did nothing but fail for this long is disabled. */
export const DISABLE_AFTER_S = 5 * 24 * 3600;

/** An account has at most this many endpoints, disabled ones among them. */
export const MOST_WEBHOOK_ENDPOINTS = 50;
/** The secret and the description of an endpoint are no longer. */
export const ENDPOINT_TEXT_MOST_CHARACTERS = 255;
/** So many deliveries are asked for again at once; there may be more. */
export const MOST_REDELIVERED_AT_ONCE = 10_000;

/** The two authenticity headers carry the operator's name, `Service` unless configured. */
export const webhookHeaders = (operator_name = "Service") => {
  const word = operator_name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "") || "Service";
  return { signature: `X-${word}-Signature`, secret: `X-${word}-Secret` } as const;
};

/** Standard Webhooks, https://www.standardwebhooks.com: these guard against replay. */
export const standardWebhookHeaders = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;
/** How far `webhook-timestamp` may lie from the receiver's clock. */
export const TIMESTAMP_TOLERANCE_S = 300;
