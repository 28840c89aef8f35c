import { webhookBodies } from "../webhook-bodies.ts";
import {
  type EventType,
  eventTypeNames,
  eventTypes,
  RESPONSE_TIMEOUT_S,
  standardWebhookHeaders,
  TIMESTAMP_TOLERANCE_S,
  webhookHeaders,
} from "../webhooks.ts";
import { webhookExamples } from "./webhook-examples.ts";

/** The `webhooks` of the OpenAPI document: what a partner's endpoint is sent, and what it should answer. */
export const openapiWebhooks = (operator_name: string) =>
  Object.fromEntries(eventTypeNames.map((name) => [name, { post: webhook(name, operator_name) }]));

const webhook = (name: EventType, operator_name: string) => {
  const { sent_when, opt_in } = eventTypes[name];
  return {
    operationId: `on${name.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: name,
    description: `${sent_when}${opt_in ? " Sent only to endpoints that ask for it." : ""} Verify the raw body, byte for byte as it arrived, before you parse it. Delivery is at least once: \`event_id\` tells a repeated event.`,
    tags: ["Webhooks"],
    security: [{}],
    parameters: headersOf(operator_name).map(([header, description, schema]) => ({
      name: header,
      in: "header",
      required: true,
      description,
      schema: { type: "string", ...schema },
    })),
    requestBody: {
      required: true,
      content: { "application/json": { schema: webhookBodies[name], example: webhookExamples[name] } },
    },
    responses: {
      "2XX": {
        description: `Received, within ${RESPONSE_TIMEOUT_S} seconds. Anything else, a redirect too, is tried again.`,
      },
      410: { description: "Gone. The endpoint is disabled and sent nothing more." },
    },
  };
};

type Header = readonly [name: string, description: string, schema?: object];

const headersOf = (operator_name: string): readonly Header[] => {
  const { signature, secret } = webhookHeaders(operator_name);
  const { id, timestamp, signature: standard } = standardWebhookHeaders;
  return [
    [
      signature,
      "base64 of HMAC-SHA1 of method + registered URL + raw body, form-encoded, followed by a newline byte; the key is the lower-case hex SHA-256 of the `client_secret`.",
      { pattern: "^[A-Za-z0-9+/]{28}$" },
    ],
    [secret, "The same of the `secret` that you registered.", { pattern: "^[A-Za-z0-9+/]{28}$" }],
    [id, "The `event_id` (Standard Webhooks).", { format: "uuid" }],
    [
      timestamp,
      `When this attempt was signed, Unix time in seconds; refuse one that is more than ${TIMESTAMP_TOLERANCE_S} seconds from your clock.`,
      { pattern: "^[0-9]+$" },
    ],
    [standard, "`v1,` and base64 of HMAC-SHA256 of id, timestamp and raw body with the `signing_secret`."],
  ];
};
