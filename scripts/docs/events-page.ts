import {
  CONNECT_TIMEOUT_S,
  compactAsciiJson,
  DISABLE_AFTER_S,
  eventTypeNames,
  eventTypes,
  prescriptionChangeNames,
  prescriptionChanges,
  RESPONSE_TIMEOUT_S,
  RETRY_DELAYS_S,
  RETRY_JITTER_SHARE,
  serviceSecret,
  serviceSignature,
  signatureBase,
  signingKey,
  standardSignature,
  standardWebhookHeaders,
  TIMESTAMP_TOLERANCE_S,
  webhookHeaders,
} from "@pestle/contract";
import { code, generated, page, table } from "./markdown.ts";

export function eventsPage() {
  const rows = eventTypeNames.map((name) => {
    const { sent_when, fields, opt_in } = eventTypes[name];
    return [code(name), sent_when, fields.map(code).join(", "), opt_in ? "yes" : "no"];
  });
  return page(
    generated("`contract/src/webhooks/webhooks.ts` and `contract/src/signature.ts`"),
    "# Webhook events\n",
    "You will know every event, its fields, and every byte of its signatures. Every event also has `event_id`, `event_type` and `timestamp` (Unix seconds). Events never contain names, addresses, birth dates or documents.\n",
    table(["event_type", "sent when", "fields", "opt-in"], rows),
    "`sequence` numbers the changes of one order that send events: 1, 2, 3 and so on. Events of the same change share a number.\n",
    "Opt-in events go only to endpoints that name them. The feed has every event.\n",
    "## Changes of a prescription\n",
    "`change` in RX_STATUS_CHANGED is one of these:\n",
    table(
      ["change", "meaning"],
      prescriptionChangeNames.map((name) => [code(name), prescriptionChanges[name]]),
    ),
    "## Delivery\n",
    `The service delivers each event at least once, with the same bytes and \`event_id\` each time. A 2xx answer within ${RESPONSE_TIMEOUT_S} s (${CONNECT_TIMEOUT_S} s to connect) is a success, and a redirect is a failure. A 410 answer or ${DISABLE_AFTER_S / 86400} days of failures without a success disable the endpoint. The service honors \`Retry-After\` up to 24 h. Each delay below counts from the previous attempt and varies by ±${RETRY_JITTER_SHARE * 100} %.\n`,
    table(
      ["attempt", "after"],
      RETRY_DELAYS_S.map((seconds, index) => [index + 1, duration(seconds)]),
    ),
    signatureRecipe(),
  );
}

const duration = (seconds: number) =>
  seconds >= 3600 ? `${seconds / 3600} h` : seconds >= 60 ? `${seconds / 60} min` : `${seconds} s`;

function signatureRecipe() {
  const [client_secret, webhook_secret, signing_secret] = [
    "sek",
    "wh secret ~ 1",
    "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE=",
  ];
  const url = "https://partner.example/hook";
  const body = compactAsciiJson({ event_type: "RX_RECEIVED", patient_id: "v3y4od" });
  const [event_id, timestamp] = ["0b7f5c1e-6a3d-4f52-9d0e-3c8a1b2d4e5f", 1794731400];
  const key = signingKey(client_secret);
  const names = webhookHeaders();
  return page(
    "## Verifying a webhook\n",
    "**Verify the raw body, byte for byte as it arrived, before you parse it.** The body is one line of ASCII. Non-ASCII characters and `! ' ( ) * ~` appear as `\\uXXXX`, so every language's form encoder gives the same result.\n",
    "1. `key` is the lower-case hex SHA-256 of your `client_secret`.",
    "2. `base` is method + registered URL + raw body, form-encoded: keep `A-Z a-z 0-9 _ . - ~`, encode a space as `+` and every other byte as `%XX` in upper case.",
    `3. \`${names.signature}\` is base64 of the 20 bytes of HMAC-SHA1(\`key\`, \`base\`) followed by one newline byte: always 28 characters.`,
    `4. \`${names.secret}\` is computed the same way from your webhook secret, without form-encoding it first.\n`,
    "The operator's name replaces `Service` in the header names. With these values the headers are:\n",
    table(
      ["what", "value"],
      [
        ["client secret", code(client_secret)],
        ["webhook secret", code(webhook_secret)],
        ["method and URL", code(`POST ${url}`)],
        ["body", code(body)],
        ["key", code(key)],
        ["base", code(signatureBase("POST", url, body))],
        [names.signature, code(serviceSignature(key, "POST", url, body))],
        [names.secret, code(serviceSecret(key, webhook_secret))],
      ],
    ),
    `To prevent replays, each request also carries the [Standard Webhooks](https://www.standardwebhooks.com) headers, signed with the endpoint's \`signing_secret\`. Reject a timestamp more than ${TIMESTAMP_TOLERANCE_S} s from your clock.\n`,
    table(
      ["what", "value"],
      [
        ["signing secret", code(signing_secret)],
        [standardWebhookHeaders.id, code(event_id)],
        [standardWebhookHeaders.timestamp, code(String(timestamp))],
        [standardWebhookHeaders.signature, code(standardSignature(signing_secret, event_id, timestamp, body))],
      ],
    ),
  );
}
