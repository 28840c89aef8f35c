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
} from "../schema.ts";
import { eventTypeNames } from "./webhooks.ts";

export const endpointStatuses = ["active", "disabled"] as const;
/** Why an endpoint is disabled: the account disabled it, it answered 410, or it only failed for days. */
export const endpointDisabledReasons = ["partner", "gone", "failing"] as const;
export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

const EventTypeSchema = named("EventType", oneOf(eventTypeNames));
const uuid = string({ format: "uuid" });

const endpointFields = {
  id: uuid,
  url: string({ format: "uri", description: "As registered: it is signed exactly like this." }),
  events: array(EventTypeSchema, "The subscribed events. Empty: every event that is not opt-in."),
  status: oneOf(endpointStatuses),
  signing_credential_id: string("The `client_id` of the credential whose secret signs."),
  description: nullable(string()),
  disabled_reason: nullable(
    oneOf(
      endpointDisabledReasons,
      "`partner`: a PATCH disabled it. `gone`: it answered 410. `failing`: it failed for five days.",
    ),
  ),
  disabled_at: nullable(time()),
  created_at: time(),
  updated_at: time(),
};

/** Without `secret`, which is write-only. */
export const WebhookEndpoint = named("WebhookEndpoint", object(endpointFields));
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = named(
  "CreatedWebhookEndpoint",
  object({ ...endpointFields, signing_secret: string({ description: "Shown only once.", pattern: "^whsec_" }) }),
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
    body: object({}, { description: "The request body as an object.", additionalProperties: true }),
    deliveries: array(
      object({
        endpoint_id: uuid,
        status: oneOf(deliveryStatuses),
        attempts: integer("Completed attempts."),
        next_attempt_at: nullable(time("Also null while the endpoint is disabled: the delivery stays pending.")),
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
    status: nullable(integer("The HTTP status of the response, if there was one.")),
    error: nullable(string({ description: "Why the attempt failed, as a code.", examples: ["timeout"] })),
    error_message: nullable(string("The same as a sentence.")),
    duration_ms: integer(),
    request: nullable(
      object(
        {
          method: oneOf(["POST"]),
          url: string({ format: "uri" }),
          headers: object({}, { description: "Without the authenticity headers.", additionalProperties: true }),
          body: string("The exact bytes. They are ASCII."),
        },
        { description: "The request." },
      ),
    ),
    response: nullable(
      object(
        {
          content_type: nullable(string()),
          body: string("Its first 4 KiB, as text."),
        },
        { description: "The response, if there was one." },
      ),
    ),
  }),
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

const sums = {
  attempts: integer("Completed attempts."),
  delivered: integer("Attempts answered with 2xx."),
  failed: integer("Deliveries that failed after their last attempt."),
  success_rate: nullable(number("`delivered` divided by `attempts`, from 0 to 1; null without attempts.")),
  average_duration_ms: nullable(integer()),
  slowest_duration_ms: nullable(integer()),
};

export const WebhookStatistics = named(
  "WebhookStatistics",
  object({
    endpoint_id: uuid,
    ...sums,
    waiting: integer("Pending deliveries."),
    oldest_waiting_at: nullable(time("Time of the oldest event that is pending for this endpoint.")),
    hours: array(
      object({ hour: time("Its beginning."), ...sums }),
      "The last 24 hours that had attempts, newest first.",
    ),
  }),
);
export type WebhookStatistics = Static<typeof WebhookStatistics>;
