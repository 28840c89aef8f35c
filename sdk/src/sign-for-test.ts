import { type CryptoSteps, compactAsciiJson, standardWebhookHeaders, webhookHeaders } from "@pestle/contract/partner";
import { serviceSecret, serviceSignature, signingKey, standardSignature } from "./crypto/signature.ts";
import { workSteps, workStepsNow } from "./crypto/work-steps.ts";
import type { WebhookBody } from "./webhook-body.ts";

/** An event and the secrets to sign it with. */
export type ToSign = {
  event: WebhookBody;
  url: string;
  client_secret: string;
  webhook_secret: string;
  /** Adds the Standard Webhooks headers. */
  signing_secret?: string;
  now?: Date;
  operator_name?: string;
};
export type SignedDelivery = { method: "POST"; rawBody: string; headers: Record<string, string> };

/**
 * The request that the pharmacy would send for this event, for testing a receiver. In a browser or an edge runtime, call
 * `signForTestAsync`.
 */
export const signForTest = (given: ToSign): SignedDelivery => workStepsNow(signSteps(given));

/** `signForTest` with WebCrypto: for every runtime. */
export const signForTestAsync = (given: ToSign): Promise<SignedDelivery> => workSteps(signSteps(given));

function* signSteps(given: ToSign): CryptoSteps<SignedDelivery> {
  const { event, url, client_secret, webhook_secret, signing_secret, now = new Date(), operator_name } = given;
  const rawBody = compactAsciiJson(event);
  const key = yield* signingKey(client_secret);
  const names = webhookHeaders(operator_name);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const standard = signing_secret !== undefined && {
    [standardWebhookHeaders.id]: event.event_id,
    [standardWebhookHeaders.timestamp]: timestamp,
    [standardWebhookHeaders.signature]: yield* standardSignature(signing_secret, event.event_id, timestamp, rawBody),
  };
  return {
    method: "POST",
    rawBody,
    headers: {
      "content-type": "application/json",
      [names.signature]: yield* serviceSignature(key, "POST", url, rawBody),
      [names.secret]: yield* serviceSecret(key, webhook_secret),
      ...standard,
    },
  };
}
