import { order_number } from "../fields.ts";
import { webhookExamples } from "../openapi/webhook-examples.ts";
import { WebhookEndpointInput } from "../requests.ts";
import { array, boolean, integer, nullable, object, oneOf, string, time } from "../schema.ts";
import {
  CreatedWebhookEndpoint,
  WebhookAttempt,
  WebhookEndpoint,
  WebhookEventRecord,
  WebhookStatistics,
} from "../webhook-records.ts";
import {
  FailedRedeliveryRequest,
  RedeliveryRequest,
  WebhookEndpointUpdate,
  WebhookTestRequest,
} from "../webhook-requests.ts";
import { eventTypeNames, MOST_REDELIVERED_AT_ONCE, MOST_WEBHOOK_ENDPOINTS } from "../webhooks.ts";
import { answer, body, bodyCodes, type Endpoint, idempotencyCodes, paged } from "./endpoint.ts";

const endpoint: WebhookEndpoint = {
  id: "5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8",
  url: "https://partner.example/hook",
  events: [],
  status: "active",
  signing_credential_id: "k3v9x2m4q7ab-5d8f2h6j",
  description: "orders",
  disabled_reason: null,
  disabled_at: null,
  created_at: "2026-11-15T08:30:00.000Z",
  updated_at: "2026-11-15T08:30:00.000Z",
};

const sums = {
  attempts: 412,
  delivered: 409,
  failed: 0,
  success_rate: 0.9927,
  average_duration_ms: 84,
  slowest_duration_ms: 1_930,
};

const event: WebhookEventRecord = {
  event_id: "019a8712-04c0-7b3e-9d0e-3c8a1b2d4e5f",
  event_type: "ORDER_UPDATED",
  patient_id: "ay87nt",
  order_number: "7K2M9XQ4TB",
  created_at: "2026-11-15T09:10:00.000Z",
  body: webhookExamples.ORDER_UPDATED,
  deliveries: [{ endpoint_id: endpoint.id, status: "delivered", attempts: 1, next_attempt_at: null }],
};

/** Webhooks: where events go, what happened, and what was tried. */
export const webhookEndpoints = [
  {
    operation_id: "createWebhookEndpoint",
    method: "POST",
    path: "/webhook_endpoints",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Register a webhook endpoint",
    description: `From now on it is sent every event it asks for. \`secret\` is yours and never shown; \`signing_secret\` is made here and shown this once. Requests are signed with the older live secret of the signing credential until you switch. The URL is https and leads to a public address; in the sandbox it may also lead to this machine, without https and on any port. An account has at most ${MOST_WEBHOOK_ENDPOINTS} endpoints.`,
    body: body("application/json", WebhookEndpointInput, {
      url: endpoint.url,
      secret: "a secret of your own",
      description: "orders",
    }),
    responses: {
      201: answer("The endpoint.", CreatedWebhookEndpoint, {
        ...endpoint,
        signing_secret: "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE=",
      }),
    },
    codes: [40003, ...bodyCodes, 42200, ...idempotencyCodes],
    idempotent: true,
  },
  {
    operation_id: "listWebhookEndpoints",
    method: "GET",
    path: "/webhook_endpoints",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "List the webhook endpoints",
    description: "All of the account's, newest first.",
    responses: {
      200: answer("The endpoints.", object({ webhook_endpoints: array(WebhookEndpoint) }), {
        webhook_endpoints: [endpoint],
      }),
    },
    codes: [40003],
  },
  {
    operation_id: "getWebhookEndpoint",
    method: "GET",
    path: "/webhook_endpoints/{id}",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Read a webhook endpoint",
    description: "As it stands; never its secrets.",
    responses: { 200: answer("The endpoint.", WebhookEndpoint, endpoint) },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "updateWebhookEndpoint",
    method: "PATCH",
    path: "/webhook_endpoints/{id}",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Change a webhook endpoint",
    description:
      "What is left out stays. `signing_credential_id` switches to the newest live secret of that credential, so in a rotation name the same one again when your receiver knows the new secret. `status` `active` enables an endpoint again, and what waited for it is sent; attempts after the change use the new values.",
    body: body("application/json", WebhookEndpointUpdate, { status: "active" }),
    responses: { 200: answer("The endpoint as it is now.", WebhookEndpoint, endpoint) },
    codes: [40003, ...bodyCodes, 42200],
    may_be_missing: true,
  },
  {
    operation_id: "removeWebhookEndpoint",
    method: "DELETE",
    path: "/webhook_endpoints/{id}",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Remove a webhook endpoint",
    description: "It is sent nothing more, not even what waited for it. Events stay in the feed.",
    responses: { 204: { description: "The endpoint is removed. The body is empty." } },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "testWebhookEndpoint",
    method: "POST",
    path: "/webhook_endpoints/{id}/test",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Send a test event",
    description:
      'A sample event is sent to this endpoint alone, whatever it asked for, and signed as any other. Its body says `"test": true` and tells of nobody. The endpoint must be active.',
    body: body("application/json", WebhookTestRequest, {}),
    body_optional: true,
    responses: { 202: answer("The event; `attempts` tells what becomes of it.", WebhookEventRecord, event) },
    codes: [40003, ...bodyCodes, 42200, ...idempotencyCodes],
    may_be_missing: true,
    idempotent: true,
  },
  {
    operation_id: "redeliverFailedWebhooks",
    method: "POST",
    path: "/webhook_endpoints/{id}/redeliver",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Send failed events again",
    description: `Every event since a time whose delivery to this endpoint was given up is sent again, with the same bytes and \`event_id\`, and tried as often as a new one; with \`missed\` also those it was never sent. At most ${MOST_REDELIVERED_AT_ONCE} at once, the oldest first: while \`more\` is true, ask again. The endpoint must be active.`,
    body: body("application/json", FailedRedeliveryRequest, { since: "2026-11-14T22:00:00.000Z" }),
    responses: {
      202: answer(
        "How many deliveries wait now that were finished before.",
        object({ count: integer(), more: boolean("There are others.") }),
        { count: 3, more: false },
      ),
    },
    codes: [40003, ...bodyCodes, 42200, ...idempotencyCodes],
    may_be_missing: true,
    idempotent: true,
  },
  {
    operation_id: "getWebhookStatistics",
    method: "GET",
    path: "/webhook_endpoints/{id}/statistics",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Read an endpoint's statistics",
    description: "How its attempts went in the time that events are kept, and what waits for it now.",
    responses: {
      200: answer("The statistics.", WebhookStatistics, {
        endpoint_id: endpoint.id,
        ...sums,
        waiting: 0,
        oldest_waiting_at: null,
        hours: [{ hour: "2026-11-15T09:00:00.000Z", ...sums }],
      }),
    },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "listWebhookEvents",
    method: "GET",
    path: "/webhook_events",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Follow the events",
    description:
      "Every event of the account, oldest first, whether or not an endpoint subscribes to it; kept for 30 days or more. Go on with `cursor` while `next_cursor` is not null; a page may have fewer events than `limit`, or none, and still have a next one. At the end keep `end_cursor` and ask from there later: what is new comes once, and nothing is left out.",
    query: {
      event_type: oneOf(eventTypeNames),
      order_number,
      delivered: boolean("`true`: every endpoint that it was for has it, and there is one. `false`: all others."),
      after: time("Events that happened after this time; a time, or a date."),
      ...paged,
      cursor: string("`next_cursor` or `end_cursor` of a page before."),
    },
    responses: {
      200: answer(
        "A page of events.",
        object({
          webhook_events: array(WebhookEventRecord),
          next_cursor: nullable(string()),
          end_cursor: string("Where this page ends, also when it is the last one."),
        }),
        { webhook_events: [event], next_cursor: null, end_cursor: "ZjEyMDMuODg" },
      ),
    },
    codes: [40003],
  },
  {
    operation_id: "getWebhookEvent",
    method: "GET",
    path: "/webhook_events/{event_id}",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Read an event",
    description: "The event and how its deliveries stand.",
    responses: { 200: answer("The event.", WebhookEventRecord, event) },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "listWebhookAttempts",
    method: "GET",
    path: "/webhook_events/{event_id}/attempts",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "List an event's attempts",
    description:
      "Every attempt to deliver the event, to whichever endpoint, newest first, with what was sent and what came back.",
    query: paged,
    responses: {
      200: answer("A page of attempts.", object({ attempts: array(WebhookAttempt), next_cursor: nullable(string()) }), {
        attempts: [
          {
            endpoint_id: endpoint.id,
            attempt: 1,
            at: "2026-11-15T09:10:00.120Z",
            delivered: true,
            status: 200,
            error: null,
            error_message: null,
            duration_ms: 84,
            request: {
              method: "POST",
              url: endpoint.url,
              headers: { "content-type": "application/json", "webhook-id": event.event_id },
              body: JSON.stringify(event.body),
            },
            response: { content_type: "text/plain", body: "ok" },
          },
        ],
        next_cursor: null,
      }),
    },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "redeliverWebhookEvent",
    method: "POST",
    path: "/webhook_events/{event_id}/redeliver",
    server: "partner",
    tags: ["Webhooks"],
    auth: "bearer:partners",
    summary: "Send an event again",
    description:
      "With the same bytes and `event_id`, to every active endpoint that subscribes to it or was sent it before, or to the one that is named; delivered or not.",
    body: body("application/json", RedeliveryRequest, {}),
    body_optional: true,
    responses: { 202: answer("The event and how its deliveries stand.", WebhookEventRecord, event) },
    codes: [40003, ...bodyCodes, 42200, ...idempotencyCodes],
    may_be_missing: true,
    idempotent: true,
  },
] as const satisfies readonly Endpoint[];
