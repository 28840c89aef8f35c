import { array, boolean, integer, named, nullable, object, oneOf, type Static, string, time } from "./schema.ts";
import { eventTypeNames } from "./webhooks.ts";

export const endpointStatuses = ["active", "disabled"] as const;
export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

const EventTypeSchema = named("EventType", oneOf(eventTypeNames));

const endpointFields = {
  id: string({ format: "uuid" }),
  url: string({ format: "uri" }),
  events: array(EventTypeSchema),
  status: oneOf(endpointStatuses),
  signing_credential_id: string("The credential whose secret signs."),
  description: nullable(string()),
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
    event_id: string({ format: "uuid" }),
    event_type: EventTypeSchema,
    patient_id: nullable(string()),
    order_number: nullable(string()),
    created_at: time(),
    body: object({}, { description: "What is sent, as an object." }),
    deliveries: array(
      object({
        endpoint_id: string({ format: "uuid" }),
        status: oneOf(deliveryStatuses),
        attempts: integer(),
        next_attempt_at: nullable(time()),
      }),
    ),
  }),
);
export type WebhookEventRecord = Static<typeof WebhookEventRecord>;

export const WebhookAttempt = named(
  "WebhookAttempt",
  object({
    endpoint_id: string({ format: "uuid" }),
    attempt: integer("1 for the first."),
    at: time(),
    delivered: boolean(),
    status: nullable(integer("The HTTP status of the answer, if there was one.")),
    error: nullable(string("What kept the attempt from an answer.")),
    duration_ms: integer(),
  }),
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;
