import { array, boolean, closed, named, nullable, oneOf, partial, type Static, string, time } from "../schema.ts";
import { endpointStatuses } from "./webhook-records.ts";
import { ENDPOINT_TEXT_MOST_CHARACTERS, eventTypeNames } from "./webhooks.ts";

/** Error messages for webhook endpoint requests. */
export const endpointFaults = {
  url: "Send an absolute URL of at most 2,048 characters without spaces.",
  events: "Send a list of event types. An empty list means every event that is not opt-in.",
  event_unknown: "Use a documented event type.",
  event_twice: "Name each event type once.",
  secret: `The secret must have 1 to ${ENDPOINT_TEXT_MOST_CHARACTERS} characters.`,
  signing_credential: "Use the client_id of a credential of this account that has not been revoked.",
  description: `The description must be null or have at most ${ENDPOINT_TEXT_MOST_CHARACTERS} characters.`,
  status: `Use one of ${endpointStatuses.join(" and ")}.`,
  too_many: "The account has as many endpoints as it may have. Remove one first.",
  disabled: "The endpoint is disabled. Set its status to active first.",
  endpoint_unknown: "Use the id of an endpoint of this account.",
  since: "Send a time with its zone, or a date.",
  missed: "Send true or false.",
} as const;

const most = { maxLength: ENDPOINT_TEXT_MOST_CHARACTERS };

const endpointFields = (said: { events: string; signing_credential_id: string }) => ({
  url: string({ format: "uri", maxLength: 2_048, message: endpointFaults.url }),
  events: array(oneOf(eventTypeNames, { message: endpointFaults.event_unknown }), {
    // A longer list must repeat a name. The limit avoids an error entry for each of a hundred thousand names.
    maxItems: eventTypeNames.length,
    uniqueItems: true,
    message: endpointFaults.events,
    repeated: endpointFaults.event_twice,
    description: said.events,
  }),
  secret: string({ minLength: 1, ...most, writeOnly: true, message: endpointFaults.secret }),
  signing_credential_id: string({
    message: endpointFaults.signing_credential,
    description: said.signing_credential_id,
  }),
  description: nullable(string({ ...most, pattern: "^[^\\u0000]*$", message: endpointFaults.description })),
});

/** `POST /webhook_endpoints`. */
export const WebhookEndpointInput = named(
  "WebhookEndpointInput",
  closed(
    endpointFields({
      events: "Omitted or empty: every event that is not opt-in.",
      signing_credential_id: "A `client_id`. Omitted: the credential that makes the call.",
    }),
    { optional: ["events", "signing_credential_id", "description"] },
  ),
);
export type WebhookEndpointInput = Static<typeof WebhookEndpointInput>;

/** `PATCH /webhook_endpoints/{id}`: omitted fields stay unchanged. */
export const WebhookEndpointUpdate = named(
  "WebhookEndpointUpdate",
  partial({
    ...endpointFields({
      events: "Empty: every event that is not opt-in.",
      signing_credential_id:
        "Signs with the newest active secret of this credential from now on. Use it in a rotation or to switch credentials.",
    }),
    status: oneOf(endpointStatuses, {
      message: endpointFaults.status,
      description: "`active` enables it again and sends its pending deliveries.",
    }),
  }),
);
export type WebhookEndpointUpdate = Static<typeof WebhookEndpointUpdate>;

/** `POST /webhook_endpoints/{id}/test`. */
export const WebhookTestRequest = named(
  "WebhookTestRequest",
  partial({
    event_type: oneOf(eventTypeNames, {
      message: endpointFaults.event_unknown,
      description: "The sample to send.",
      default: "RX_RECEIVED",
    }),
  }),
);
export type WebhookTestRequest = Static<typeof WebhookTestRequest>;

/** `POST /webhook_events/{event_id}/redeliver`. */
export const RedeliveryRequest = named(
  "RedeliveryRequest",
  partial({
    endpoint_id: string({
      format: "uuid",
      message: endpointFaults.endpoint_unknown,
      description: "Only to this endpoint, regardless of its subscriptions.",
    }),
  }),
);
export type RedeliveryRequest = Static<typeof RedeliveryRequest>;

/** `POST /webhook_endpoints/{id}/redeliver`. */
export const FailedRedeliveryRequest = named(
  "FailedRedeliveryRequest",
  closed(
    {
      since: time({
        message: endpointFaults.since,
        description: "Events at this time or later. A date means the start of that day in the pharmacy's time zone.",
      }),
      missed: boolean({
        message: endpointFaults.missed,
        description: "Also events that the endpoint never received, because it was disabled or did not exist yet.",
        default: false,
      }),
    },
    { optional: ["missed"] },
  ),
);
export type FailedRedeliveryRequest = Static<typeof FailedRedeliveryRequest>;
