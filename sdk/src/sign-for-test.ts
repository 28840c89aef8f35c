import {
  compactAsciiJson,
  serviceSecret,
  serviceSignature,
  signingKey,
  standardSignature,
  standardWebhookHeaders,
  type WebhookBody,
  webhookHeaders,
} from "@pestle/contract";

/** The request that the pharmacy would send for this event, for testing a receiver. */
export function signForTest(given: {
  event: WebhookBody;
  url: string;
  client_secret: string;
  webhook_secret: string;
  /** Adds the Standard Webhooks headers. */
  signing_secret?: string;
  now?: Date;
  operator_name?: string;
}): { method: "POST"; rawBody: string; headers: Record<string, string> } {
  const { event, url, client_secret, webhook_secret, signing_secret, now = new Date(), operator_name } = given;
  const rawBody = compactAsciiJson(event);
  const key = signingKey(client_secret);
  const names = webhookHeaders(operator_name);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const standard = signing_secret !== undefined && {
    [standardWebhookHeaders.id]: event.event_id,
    [standardWebhookHeaders.timestamp]: timestamp,
    [standardWebhookHeaders.signature]: standardSignature(signing_secret, event.event_id, timestamp, rawBody),
  };
  return {
    method: "POST",
    rawBody,
    headers: {
      "content-type": "application/json",
      [names.signature]: serviceSignature(key, "POST", url, rawBody),
      [names.secret]: serviceSecret(key, webhook_secret),
      ...standard,
    },
  };
}
