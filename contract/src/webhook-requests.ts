import { array, boolean, closed, named, nullable, oneOf, partial, type Static, string, time } from "./schema.ts";
import { endpointStatuses } from "./webhook-records.ts";
import { ENDPOINT_TEXT_MOST_CHARACTERS, eventTypeNames, MOST_WEBHOOK_ENDPOINTS } from "./webhooks.ts";

/** What can be wrong with an endpoint that is sent, or with what is asked of it; the sentences that are answered. */
export const endpointFaults = {
  url: "The URL is not an absolute URL of at most 2,048 characters without spaces.",
  events: "Send a list of event types; an empty one stands for every event that is not opt-in.",
  event_unknown: "Use an event type of the documentation.",
  event_twice: "Name each event type once.",
  secret: `The secret has 1 to ${ENDPOINT_TEXT_MOST_CHARACTERS} characters.`,
  signing_credential: "Use the client_id of a credential of this account that was not revoked.",
  description: `The description is null or has at most ${ENDPOINT_TEXT_MOST_CHARACTERS} characters.`,
  status: `Use one of ${endpointStatuses.join(" and ")}.`,
  too_many: `An account has at most ${MOST_WEBHOOK_ENDPOINTS} endpoints: remove one first.`,
  disabled: "The endpoint is disabled: set its status to active first.",
  endpoint_unknown: "Use the id of an endpoint of this account.",
  since: "Send a time with its zone, or a date.",
  missed: "Send true or false.",
} as const;

const most = { maxLength: ENDPOINT_TEXT_MOST_CHARACTERS };

const endpointFields = (said: { events: string; signing_credential_id: string }) => ({
  url: string({ format: "uri", maxLength: 2_048, message: endpointFaults.url }),
  events: array(oneOf(eventTypeNames, { message: endpointFaults.event_unknown }), {
    // A longer list names one twice, and a list of a hundred thousand is not answered name by name.
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
      events: "Left out or empty: every event that is not opt-in.",
      signing_credential_id: "A `client_id`. Left out: the credential that makes the call.",
    }),
    { optional: ["events", "signing_credential_id", "description"] },
  ),
);
export type WebhookEndpointInput = Static<typeof WebhookEndpointInput>;

/** `PATCH /webhook_endpoints/{id}`: what is left out stays as it is. */
export const WebhookEndpointUpdate = named(
  "WebhookEndpointUpdate",
  partial({
    ...endpointFields({
      events: "Empty: every event that is not opt-in.",
      signing_credential_id:
        "Signs with the newest live secret of this credential from now on: how to switch, in a rotation or to another one.",
    }),
    status: oneOf(endpointStatuses, {
      message: endpointFaults.status,
      description: "`active` enables it again; what waited for it is sent.",
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
      description: "What is sent as a sample.",
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
      description: "Only to this one, whatever it subscribes to.",
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
        description: "Events that happened at this time or later. A date is its first instant where the pharmacy is.",
      }),
      missed: boolean({
        message: endpointFaults.missed,
        description: "Also events that it was never sent, because it was disabled or not there yet.",
        default: false,
      }),
    },
    { optional: ["missed"] },
  ),
);
export type FailedRedeliveryRequest = Static<typeof FailedRedeliveryRequest>;
