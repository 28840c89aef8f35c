import {
  signingKey,
  standardWebhookHeaders,
  TIMESTAMP_TOLERANCE_S,
  verifyServiceSecret,
  verifyServiceSignature,
  verifyStandardSignature,
  type WebhookBody,
  webhookHeaders,
} from "@pestle/contract";
import { WebhookRefused } from "./errors.ts";

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

/** Returns the event if every scheme whose secrets you give matches; otherwise throws `WebhookRefused`. */
export function verify(rawBody: RawBody, headers: WebhookRequestHeaders, options: VerifyOptions): WebhookBody {
  const { url, client_secrets, webhook_secret, signing_secret, operator_name, ...standard } = options;
  const service = [url, client_secrets, webhook_secret].filter((part) => part !== undefined);
  if (service.length % 3 !== 0) throw new TypeError("url, client_secrets and webhook_secret are given together.");
  if (service.length === 0 && signing_secret === undefined)
    throw new TypeError("There must be secrets to verify with.");
  let event: WebhookBody | undefined;
  if (signing_secret !== undefined) event = verifyStandardWebhook({ rawBody, headers, signing_secret, ...standard });
  if (url !== undefined && client_secrets !== undefined && webhook_secret !== undefined) {
    const named = operator_name === undefined ? {} : { operator_name };
    event = verifyWebhook({ rawBody, headers, url, client_secrets, webhook_secret, ...named });
  }
  return event as WebhookBody;
}

/**
 * Returns the event if both authenticity headers match; otherwise throws `WebhookRefused`. `url` is the registered URL,
 * even if a proxy rewrites it. During a rotation, `client_secrets` can contain both secrets.
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
  // An empty secret is a missing setting, and anyone could sign with it.
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

/** Verifies the Standard Webhooks headers, which also protect against replay: refuses an old delivery. */
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
