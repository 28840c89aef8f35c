import {
  type CryptoSteps,
  standardWebhookHeaders,
  TIMESTAMP_TOLERANCE_S,
  webhookHeaders,
} from "@pestle/contract/partner";
import { sameText, serviceSecret, serviceSignature, signingKey, standardSignature } from "./crypto/signature.ts";
import { workSteps, workStepsNow } from "./crypto/work-steps.ts";
import { WebhookRefused } from "./errors.ts";
import type { WebhookBody } from "./webhook-body.ts";

/** Headers from node:http, a web framework or fetch. */
export type WebhookRequestHeaders = Headers | { readonly [name: string]: string | readonly string[] | undefined };
/** The raw bytes as received. A body that was parsed and re-serialized no longer matches its signature. */
export type RawBody = string | Uint8Array;

/** The secrets to verify a delivery with. Give one scheme or both: every scheme you give must match. */
export type WebhookSecrets = {
  /** The URL as registered. With the client secrets and the webhook secret, it verifies the two authenticity headers. */
  url?: string;
  /** Give both secrets during a rotation. */
  client_secrets?: readonly string[];
  webhook_secret?: string;
  /** `whsec_…`: verifies the Standard Webhooks headers, which also protect against replay. */
  signing_secret?: string;
  /** The pharmacy's name in the header names (default: `Service`). */
  operator_name?: string;
};
export type VerifyOptions = WebhookSecrets & { now?: Date; tolerance_s?: number };

/** A delivery, and the secrets of its two authenticity headers. */
export type ServiceDelivery = {
  rawBody: RawBody;
  headers: WebhookRequestHeaders;
  url: string;
  method?: string;
  client_secrets: readonly string[];
  webhook_secret: string;
  operator_name?: string;
};
/** A delivery, and the secret of its Standard Webhooks headers. */
export type StandardDelivery = {
  rawBody: RawBody;
  headers: WebhookRequestHeaders;
  signing_secret: string;
  now?: Date;
  tolerance_s?: number;
};

/**
 * Returns the event if every scheme whose secrets you give matches; otherwise throws `WebhookRefused`. In a browser or an
 * edge runtime, call `verifyAsync`.
 */
export const verify = (rawBody: RawBody, headers: WebhookRequestHeaders, options: VerifyOptions): WebhookBody =>
  workStepsNow(verifySteps(rawBody, headers, options));

/** `verify` with WebCrypto: for every runtime. */
export const verifyAsync = (
  rawBody: RawBody,
  headers: WebhookRequestHeaders,
  options: VerifyOptions,
): Promise<WebhookBody> => workSteps(verifySteps(rawBody, headers, options));

/**
 * Returns the event if both authenticity headers match; otherwise throws `WebhookRefused`. `url` is the registered URL,
 * even if a proxy rewrites it. During a rotation, `client_secrets` can contain both secrets. In a browser or an edge
 * runtime, call `verifyWebhookAsync`.
 */
export const verifyWebhook = (received: ServiceDelivery): WebhookBody => workStepsNow(serviceSteps(received));

/** `verifyWebhook` with WebCrypto: for every runtime. */
export const verifyWebhookAsync = (received: ServiceDelivery): Promise<WebhookBody> =>
  workSteps(serviceSteps(received));

/**
 * Verifies the Standard Webhooks headers, which also protect against replay: refuses an old delivery. In a browser or an
 * edge runtime, call `verifyStandardWebhookAsync`.
 */
export const verifyStandardWebhook = (received: StandardDelivery): WebhookBody => workStepsNow(standardSteps(received));

/** `verifyStandardWebhook` with WebCrypto: for every runtime. */
export const verifyStandardWebhookAsync = (received: StandardDelivery): Promise<WebhookBody> =>
  workSteps(standardSteps(received));

function* verifySteps(
  rawBody: RawBody,
  headers: WebhookRequestHeaders,
  options: VerifyOptions,
): CryptoSteps<WebhookBody> {
  const { url, client_secrets, webhook_secret, signing_secret, operator_name, ...standard } = options;
  const service = [url, client_secrets, webhook_secret].filter((part) => part !== undefined);
  if (service.length % 3 !== 0) throw new TypeError("url, client_secrets and webhook_secret are given together.");
  if (service.length === 0 && signing_secret === undefined)
    throw new TypeError("There must be secrets to verify with.");
  let event: WebhookBody | undefined;
  if (signing_secret !== undefined) event = yield* standardSteps({ rawBody, headers, signing_secret, ...standard });
  if (url !== undefined && client_secrets !== undefined && webhook_secret !== undefined) {
    const named = operator_name === undefined ? {} : { operator_name };
    event = yield* serviceSteps({ rawBody, headers, url, client_secrets, webhook_secret, ...named });
  }
  return event as WebhookBody;
}

function* serviceSteps(received: ServiceDelivery): CryptoSteps<WebhookBody> {
  const { headers, url, method = "POST", client_secrets, webhook_secret, operator_name } = received;
  // An empty secret is a missing setting, and anyone could sign with it.
  if (client_secrets.length === 0 || [...client_secrets, webhook_secret].includes("")) {
    throw new TypeError("client_secrets and webhook_secret must not be empty.");
  }
  const body = textOf(received.rawBody);
  const names = webhookHeaders(operator_name);
  const signature = headerOf(headers, names.signature);
  const secret = headerOf(headers, names.secret);
  let authentic = false;
  for (const client_secret of client_secrets) {
    const key = yield* signingKey(client_secret);
    const signed = sameText(yield* serviceSignature(key, method, url, body), signature);
    authentic = (sameText(yield* serviceSecret(key, webhook_secret), secret) && signed) || authentic;
  }
  if (!authentic) throw new WebhookRefused("The signature or the secret does not fit.");
  return eventOf(body);
}

function* standardSteps(received: StandardDelivery): CryptoSteps<WebhookBody> {
  const { headers, signing_secret, now = new Date(), tolerance_s = TIMESTAMP_TOLERANCE_S } = received;
  if (!/^(whsec_)?[A-Za-z0-9+/=]{4,}$/.test(signing_secret)) throw new TypeError("signing_secret must be `whsec_…`.");
  const body = textOf(received.rawBody);
  const id = headerOf(headers, standardWebhookHeaders.id);
  const timestamp = headerOf(headers, standardWebhookHeaders.timestamp);
  const signatures = headerOf(headers, standardWebhookHeaders.signature).split(" ");
  const expected = yield* standardSignature(signing_secret, id, timestamp, body);
  const recent = /^\d{1,15}$/.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= tolerance_s;
  if (!recent || !signatures.some((signature) => sameText(expected, signature))) {
    throw new WebhookRefused("The signature does not fit, or the timestamp is too far from now.");
  }
  return eventOf(body);
}

const textOf = (rawBody: RawBody): string =>
  typeof rawBody === "string" ? rawBody : new TextDecoder("utf-8", { ignoreBOM: true }).decode(rawBody);

function headerOf(headers: WebhookRequestHeaders, name: string): string {
  const values =
    headers instanceof Headers
      ? [headers.get(name)]
      : Object.entries(headers)
          .filter(([given]) => given.toLowerCase() === name.toLowerCase())
          .flatMap(([, value]) => value);
  const [value] = values;
  if (values.length !== 1 || typeof value !== "string") throw new WebhookRefused(`There must be one ${name} header.`);
  return value;
}

function eventOf(body: string): WebhookBody {
  try {
    return JSON.parse(body) as WebhookBody;
  } catch (cause) {
    throw new WebhookRefused("The body is not JSON.", { cause });
  }
}
