import {
  type PortalSignature,
  serviceSecret,
  serviceSignature,
  signatureBase,
  standardSignature,
  standardWebhookHeaders,
  webhookHeaders,
} from "@pestle/contract";
import { digestPlace } from "../../db/accounts/credentials.ts";
import { attemptPlace, type KeptExchange } from "../../db/webhooks/attempts.ts";
import { endpointPlace } from "../../db/webhooks/due-endpoints.ts";
import { findEvent } from "../../db/webhooks/feed.ts";
import { loadSigningEndpoint, type SigningEndpoint } from "../../db/webhooks/portal-webhooks.ts";
import type { Deps } from "../../deps.ts";
import { signatureTexts } from "../../domain/webhooks/signature-texts.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openBody } from "./event-body.ts";

/**
 * Explains the headers of an event's request to an endpoint, for its last attempt or for one sent now. It names keys
 * and secrets but does not show them, and shows only the start of the header that is the same on every request.
 */
export function explainSignature(
  deps: Deps,
  account_id: string,
  event_id: string,
  endpoint_id: string,
): Promise<PortalSignature | undefined> {
  return withKeysOfNow(deps, async () => {
    const event = await findEvent(deps.db, account_id, event_id);
    const endpoint = await loadSigningEndpoint(deps.db, account_id, endpoint_id, event_id);
    if (event === undefined || endpoint === undefined) return undefined;
    const sent = lastSent(deps, account_id, event_id, endpoint_id, endpoint);
    const { url, webhook_timestamp } = sent ?? { url: endpoint.url, webhook_timestamp: secondsOf(deps.now()) };
    const body = openBody(deps.vault, event);
    const { signing_credential_id, secret_id } = endpoint;
    const { key, secret, signing_secret } = openSigningSecrets(deps, account_id, endpoint_id, endpoint);
    const names = webhookHeaders(deps.config.OPERATOR_NAME);
    return {
      event_id,
      endpoint_id,
      method: "POST",
      url,
      body,
      base: signatureBase("POST", url, body),
      client_id: `${account_id}-${signing_credential_id}`,
      secret_id,
      headers: [
        {
          name: names.signature,
          value: serviceSignature(key, "POST", url, body),
          how: signatureTexts.service,
        },
        {
          name: names.secret,
          value: `${serviceSecret(key, secret).slice(0, SHOWN)}…`,
          how: signatureTexts.secret,
        },
        { name: standardWebhookHeaders.id, value: event_id, how: signatureTexts.id },
        {
          name: standardWebhookHeaders.timestamp,
          value: String(webhook_timestamp),
          how: signatureTexts.timestamp,
        },
        {
          name: standardWebhookHeaders.signature,
          value: standardSignature(signing_secret, event_id, webhook_timestamp, body),
          how: signatureTexts.signature,
        },
      ],
    };
  });
}

const SHOWN = 6;
const secondsOf = (time: Date) => Math.floor(time.getTime() / 1000);

function lastSent(
  { vault }: Deps,
  account_id: string,
  event_id: string,
  endpoint_id: string,
  { attempt, exchange_sealed }: SigningEndpoint,
): KeptExchange | null {
  if (attempt === null || exchange_sealed === null) return null;
  const place = attemptPlace(account_id, event_id, endpoint_id, attempt);
  return JSON.parse(vault.open(exchange_sealed, place).toString("utf8"));
}

/** Everything that signs a request to an endpoint, decrypted. */
export function openSigningSecrets(
  { vault }: Pick<Deps, "vault">,
  account_id: string,
  endpoint_id: string,
  endpoint: SigningEndpoint,
) {
  const { signing_credential_id, secret_id } = endpoint;
  const open = (sealed: Buffer, place: string) => vault.open(sealed, place).toString("utf8");
  return {
    key: open(endpoint.digest_sealed, digestPlace(account_id, signing_credential_id, secret_id)),
    secret: open(endpoint.secret_sealed, endpointPlace("secret_sealed", account_id, endpoint_id)),
    signing_secret: open(
      endpoint.signing_secret_sealed,
      endpointPlace("signing_secret_sealed", account_id, endpoint_id),
    ),
  };
}
