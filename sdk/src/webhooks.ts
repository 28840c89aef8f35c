import {
  compactAsciiJson,
  serviceSecret,
  serviceSignature,
  signingKey,
  standardSignature,
  standardWebhookHeaders,
  TIMESTAMP_TOLERANCE_S,
  verifyServiceSecret,
  verifyServiceSignature,
  verifyStandardSignature,
  type WebhookBody,
  webhookHeaders,
} from "@pestle/contract";
import { WebhookRefused } from "./errors.ts";

/** As node:http, a web framework or fetch gives them. */
export type WebhookRequestHeaders = Headers | { readonly [name: string]: string | readonly string[] | undefined };
/** The bytes that arrived, before anything parsed them: a parsed and rewritten body has another signature. */
export type RawBody = string | Uint8Array;

/**
 * Returns the event if both authenticity headers are right, else throws `WebhookRefused`. `url` is the one that was
 * registered, whatever a proxy made of it; `client_secrets` may hold both secrets while one replaces the other.
 */
export function verifyWebhook(received: {
  rawBody: RawBody;
  headers: WebhookRequestHeaders;
  url: string;
  method?: string;
  client_secrets: readonly string[];
  webhook_secret: string;
  operator_name?: string;
}): WebhookBody {
  const { headers, url, method = "POST", client_secrets, webhook_secret, operator_name } = received;
  // An empty secret is a forgotten setting, and everybody could sign with it.
  if (client_secrets.length === 0 || [...client_secrets, webhook_secret].includes("")) {
    throw new TypeError("client_secrets and webhook_secret must not be empty.");
  }
  const body = textOf(received.rawBody);
  const names = webhookHeaders(operator_name);
  const signature = headerOf(headers, names.signature);
  const secret = headerOf(headers, names.secret);
  const authentic = client_secrets.map(signingKey).some((key) => {
    const signed = verifyServiceSignature(key, method, url, body, signature);
    return verifyServiceSecret(key, webhook_secret, secret) && signed;
  });
  if (!authentic) throw new WebhookRefused("The signature or the secret does not fit.");
  return eventOf(body);
}

/** The same by the Standard Webhooks headers, which also guard against replay: an old delivery is refused. */
export function verifyStandardWebhook(received: {
  rawBody: RawBody;
  headers: WebhookRequestHeaders;
  signing_secret: string;
  now?: Date;
  tolerance_s?: number;
}): WebhookBody {
  const { headers, signing_secret, now = new Date(), tolerance_s = TIMESTAMP_TOLERANCE_S } = received;
  if (!/^(whsec_)?[A-Za-z0-9+/=]{4,}$/.test(signing_secret)) throw new TypeError("signing_secret must be `whsec_…`.");
  const body = textOf(received.rawBody);
  const presented = {
    id: headerOf(headers, standardWebhookHeaders.id),
    timestamp: headerOf(headers, standardWebhookHeaders.timestamp),
    signature: headerOf(headers, standardWebhookHeaders.signature),
  };
  if (!verifyStandardSignature(signing_secret, presented, body, now.getTime() / 1000, tolerance_s)) {
    throw new WebhookRefused("The signature does not fit, or the timestamp is too far from now.");
  }
  return eventOf(body);
}

/** The request that the pharmacy would send for this event, to try a receiver with. */
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
