import { serviceSecret, serviceSignature, standardSignature } from "../signature.ts";
import { standardWebhookHeaders, webhookHeaders } from "./webhook-headers.ts";

export const WEBHOOK_USER_AGENT = "Pestle-Webhooks/1";

/** The secrets that sign an endpoint's requests. */
export type SigningSecrets = {
  /** Hex SHA-256 of the client secret: the key of both authenticity headers. */
  key: string;
  /** The partner's own webhook secret. */
  secret: string;
  /** The `whsec_` secret. */
  signing_secret: string;
};

/** Signs requests to one endpoint, and computes the constant parts once. */
export function requestSigner(operator_name: string, user_agent: string, url: string, secrets: SigningSecrets) {
  const names = webhookHeaders(operator_name);
  const same_for_all = {
    "content-type": "application/json",
    "user-agent": user_agent,
    [names.secret]: serviceSecret(secrets.key, secrets.secret),
  };
  return (event_id: string, body: string, timestamp_s: number): Record<string, string> => ({
    ...same_for_all,
    [names.signature]: serviceSignature(secrets.key, "POST", url, body),
    [standardWebhookHeaders.id]: event_id,
    [standardWebhookHeaders.timestamp]: String(timestamp_s),
    [standardWebhookHeaders.signature]: standardSignature(secrets.signing_secret, event_id, timestamp_s, body),
  });
}

export type RequestSigner = ReturnType<typeof requestSigner>;
