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

/** As node:http, a web framework or fetch gives them. */
export type WebhookRequestHeaders = Headers | { readonly [name: string]: string | readonly string[] | undefined };
/** The bytes that arrived, before anything parsed them: a parsed and rewritten body has another signature. */
export type RawBody = string | Uint8Array;

/** What proves a delivery. Give what you have of the two schemes: each that is given must fit, and one must be. */
export type WebhookSecrets = {
  /** The URL as it was registered. With the client secrets and the webhook secret: the two authenticity headers. */
  url?: string;
  /** Both while one replaces the other. */
  client_secrets?: readonly string[];
  webhook_secret?: string;
  /** `whsec_…`: the Standard Webhooks headers, which also keep an old delivery from being played again. */
  signing_secret?: string;
  /** The pharmacy's name in the header names, `Service` unless it told you otherwise. */
  operator_name?: string;
};
export type VerifyOptions = WebhookSecrets & { now?: Date; tolerance_s?: number };

/** Returns the event if it comes from the pharmacy, by every scheme whose secrets are given; else `WebhookRefused`. */
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
