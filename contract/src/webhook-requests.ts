import { array, boolean, closed, named, nullable, oneOf, type Static, string, time } from "./schema.ts";
import { endpointStatuses } from "./webhook-records.ts";
import { ENDPOINT_TEXT_MOST_CHARACTERS, eventTypeNames } from "./webhooks.ts";

const most = { maxLength: ENDPOINT_TEXT_MOST_CHARACTERS };

/** `PATCH /webhook_endpoints/{id}`: what is left out stays as it is. */
export const WebhookEndpointUpdate = named(
  "WebhookEndpointUpdate",
  closed(
    {
      url: string({ format: "uri" }),
      events: array(oneOf(eventTypeNames), "Empty: every event that is not opt-in."),
      secret: string({ minLength: 1, ...most, writeOnly: true }),
      signing_credential_id: string(
        "Signs with the newest live secret of this credential from now on: how to switch, in a rotation or to another one.",
      ),
      description: nullable(string(most)),
      status: oneOf(endpointStatuses, "`active` enables it again; what waited for it is sent."),
    },
    { optional: ["url", "events", "secret", "signing_credential_id", "description", "status"] },
  ),
);
export type WebhookEndpointUpdate = Static<typeof WebhookEndpointUpdate>;

/** `POST /webhook_endpoints/{id}/test`. */
export const WebhookTestRequest = named(
  "WebhookTestRequest",
  closed(
    { event_type: oneOf(eventTypeNames, { description: "What is sent as a sample.", default: "RX_RECEIVED" }) },
    { optional: ["event_type"] },
  ),
);
export type WebhookTestRequest = Static<typeof WebhookTestRequest>;

/** `POST /webhook_events/{event_id}/redeliver`. */
export const RedeliveryRequest = named(
  "RedeliveryRequest",
  closed(
    { endpoint_id: string({ format: "uuid", description: "Only to this one, whatever it subscribes to." }) },
    { optional: ["endpoint_id"] },
  ),
);
export type RedeliveryRequest = Static<typeof RedeliveryRequest>;

/** `POST /webhook_endpoints/{id}/redeliver`. */
export const FailedRedeliveryRequest = named(
  "FailedRedeliveryRequest",
  closed(
    {
      since: time("Events that happened at this time or later. A date is its first instant where the pharmacy is."),
      missed: boolean({
        description: "Also events that it was never sent, because it was disabled or not there yet.",
        default: false,
      }),
    },
    { optional: ["missed"] },
  ),
);
export type FailedRedeliveryRequest = Static<typeof FailedRedeliveryRequest>;
