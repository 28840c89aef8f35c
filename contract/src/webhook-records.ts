import {
  array,
  boolean,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  type Static,
  string,
  time,
} from "./schema.ts";
import { eventTypeNames } from "./webhooks.ts";

export const endpointStatuses = ["active", "disabled"] as const;
/** Who or what disabled an endpoint: the account itself, an answer of 410, or days of nothing but failures. */
export const endpointDisabledReasons = ["partner", "gone", "failing"] as const;
export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

const EventTypeSchema = named("EventType", oneOf(eventTypeNames));
const uuid = string({ format: "uuid" });

const endpointFields = {
  id: uuid,
  url: string({ format: "uri", description: "As it was registered: it is signed in exactly this spelling." }),
  events: array(EventTypeSchema, "What it is told of. Empty: every event that is not opt-in."),
  status: oneOf(endpointStatuses),
  signing_credential_id: string("The `client_id` of the credential whose secret signs."),
  description: nullable(string()),
  disabled_reason: nullable(
    oneOf(endpointDisabledReasons, "`partner`: by a PATCH; `gone`: it answered 410; `failing`: five days of failures."),
  ),
  disabled_at: nullable(time()),
  created_at: time(),
  updated_at: time(),
};

/** `secret` is write-only and therefore not here. */
export const WebhookEndpoint = named("WebhookEndpoint", object(endpointFields));
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = named(
  "CreatedWebhookEndpoint",
  object({ ...endpointFields, signing_secret: string({ description: "Shown this once.", pattern: "^whsec_" }) }),
);
export type CreatedWebhookEndpoint = Static<typeof CreatedWebhookEndpoint>;

export const WebhookEventRecord = named(
  "WebhookEventRecord",
  object({
    event_id: uuid,
    event_type: EventTypeSchema,
    patient_id: nullable(string()),
    order_number: nullable(string()),
    created_at: time(),
    body: object({}, { description: "What is sent, as an object.", additionalProperties: true }),
    deliveries: array(
      object({
        endpoint_id: uuid,
        status: oneOf(deliveryStatuses),
        attempts: integer("Those that ended."),
        next_attempt_at: nullable(time("Null also while the endpoint is disabled: the delivery waits for it.")),
      }),
    ),
  }),
);
export type WebhookEventRecord = Static<typeof WebhookEventRecord>;

export const WebhookAttempt = named(
  "WebhookAttempt",
  object({
    endpoint_id: uuid,
    attempt: integer("1 for the first."),
    at: time(),
    delivered: boolean(),
    status: nullable(integer("The HTTP status of the answer, if there was one.")),
    error: nullable(string({ description: "What kept it from being a delivery, as a code.", examples: ["timeout"] })),
    error_message: nullable(string("The same as a sentence.")),
    duration_ms: integer(),
    request: nullable(
      object(
        {
          method: oneOf(["POST"]),
          url: string({ format: "uri" }),
          headers: object({}, { description: "Without those that authenticate it.", additionalProperties: true }),
          body: string("The bytes that were sent. They are ASCII."),
        },
        { description: "What was sent." },
      ),
    ),
    response: nullable(
      object(
        {
          content_type: nullable(string()),
          body: string("Its first 4 KiB, as text."),
        },
        { description: "What came back, where anything did." },
      ),
    ),
  }),
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

const sums = {
  attempts: integer("Attempts that ended."),
  delivered: integer("Attempts that were answered with 2xx."),
  failed: integer("Deliveries given up after their last attempt."),
  success_rate: nullable(number("`delivered` of `attempts`, from 0 to 1; null where there were none.")),
  average_duration_ms: nullable(integer()),
  slowest_duration_ms: nullable(integer()),
};

export const WebhookStatistics = named(
  "WebhookStatistics",
  object({
    endpoint_id: uuid,
    ...sums,
    waiting: integer("Deliveries that are not finished."),
    oldest_waiting_at: nullable(time("When the oldest event that still waits for this endpoint happened.")),
    hours: array(
      object({ hour: time("Its beginning."), ...sums }),
      "The last 24 hours that had attempts, newest first.",
    ),
  }),
);
export type WebhookStatistics = Static<typeof WebhookStatistics>;
