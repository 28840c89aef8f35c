import { webhookBodies } from "../webhooks/webhook-bodies.ts";
import { standardWebhookHeaders, TIMESTAMP_TOLERANCE_S, webhookHeaders } from "../webhooks/webhook-headers.ts";
import { type EventType, eventTypeNames, eventTypes, RESPONSE_TIMEOUT_S } from "../webhooks/webhooks.ts";
import { webhookExamples } from "./webhook-examples.ts";

/** The `webhooks` of the OpenAPI document: the requests to a partner's endpoint and the expected responses. */
export const openapiWebhooks = (operator_name: string) =>
  Object.fromEntries(eventTypeNames.map((name) => [name, { post: webhook(name, operator_name) }]));

const webhook = (name: EventType, operator_name: string) => {
  const { sent_when, opt_in } = eventTypes[name];
  return {
    operationId: `on${name.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: name,
    description: `${sent_when}${opt_in ? " Sent only to endpoints that subscribe to it by name." : ""} Verify the raw body, byte for byte as received, before you parse it. Delivery is at least once: use \`event_id\` to detect a repeated event.`,
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
        description: `Received, within ${RESPONSE_TIMEOUT_S} seconds. Any other response, including a redirect, is retried.`,
      },
      410: { description: "Gone. The service disables the endpoint and sends it nothing more." },
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
      "base64 of HMAC-SHA1 of method + registered URL + raw body, form-encoded, followed by a newline byte. The key is the lowercase hex SHA-256 of the `client_secret`.",
      { pattern: "^[A-Za-z0-9+/]{28}$" },
    ],
    [secret, "The same for the `secret` that you registered.", { pattern: "^[A-Za-z0-9+/]{28}$" }],
    [id, "The `event_id` (Standard Webhooks).", { format: "uuid" }],
    [
      timestamp,
      `When this attempt was signed, Unix time in seconds. Reject it if it is more than ${TIMESTAMP_TOLERANCE_S} seconds from your clock.`,
      { pattern: "^[0-9]+$" },
    ],
    [standard, "`v1,` and base64 of HMAC-SHA256 of id, timestamp and raw body with the `signing_secret`."],
  ];
};
