import { type RequestSigner, requestSigner, WEBHOOK_USER_AGENT } from "@pestle/contract";
import { digestPlace } from "../../db/accounts/credentials.ts";
import { attemptPlace, type KeptExchange } from "../../db/webhooks/attempts.ts";
import type { ClaimedDelivery, EndedAttempt } from "../../db/webhooks/deliveries.ts";
import { type DueEndpoint, endpointPlace } from "../../db/webhooks/due-endpoints.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { attemptOutcome, type EndpointAnswer } from "../../domain/webhooks/attempt-outcome.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openBody } from "./event-body.ts";

type SendDeps = Pick<Deps, "config" | "db" | "vault" | "webhook_client" | "now">;
export type SendingEndpoint = DueEndpoint & { sign: RequestSigner };
/** `given_up`: the service shut down during the attempt, so it does not count. */
export type SentWebhook = EndedWebhook | "given_up";
/** `gone`: the endpoint refuses further events at this URL (410). */
export type EndedWebhook = { ended: EndedAttempt; url: string; gone: boolean };

const nothingSent = (trouble: "INTERNAL" | "NOT_SIGNED"): EndpointAnswer => ({
  status: null,
  trouble,
  retry_after: undefined,
  content_type: undefined,
  body: Buffer.alloc(0),
  duration_ms: 0,
});

export function openEndpoint({ config, vault }: SendDeps, endpoint: DueEndpoint): SendingEndpoint {
  const { account_id, endpoint_id, signing_credential_id, secret_id } = endpoint;
  const open = (sealed: Buffer, place: string) => vault.open(sealed, place).toString("utf8");
  const sign = requestSigner(config.OPERATOR_NAME, WEBHOOK_USER_AGENT, endpoint.url, {
    key: open(endpoint.digest_sealed, digestPlace(account_id, signing_credential_id, secret_id)),
    secret: open(endpoint.secret_sealed, endpointPlace("secret_sealed", account_id, endpoint_id)),
    signing_secret: open(
      endpoint.signing_secret_sealed,
      endpointPlace("signing_secret_sealed", account_id, endpoint_id),
    ),
  });
  return { ...endpoint, sign };
}

/** One attempt: signs, sends and returns the result. It never throws because of a single delivery. */
export async function sendWebhook(
  deps: SendDeps,
  endpoint: SendingEndpoint,
  delivery: ClaimedDelivery,
  /** Sent along if the attempt is traced. */
  traceparent?: string,
): Promise<SentWebhook> {
  const now = deps.now();
  const account_now = accountNow(now, endpoint.clock_offset_s);
  const webhook_timestamp = Math.floor(now.getTime() / 1000);
  const answer = await answerOf(deps, endpoint, delivery, webhook_timestamp, traceparent);
  if (answer.trouble === "CLOSED") return "given_up";
  const { account_id, event_id, endpoint_id, claims } = delivery;
  const attempt = delivery.attempts + 1;
  const { gone, ...outcome } = attemptOutcome(answer, {
    tried: attempt - delivery.attempts_before,
    now,
    account_now,
    chance: Math.random(),
  });
  const kept: KeptExchange = {
    url: endpoint.url,
    webhook_timestamp,
    response_type: answer.content_type?.slice(0, 200) ?? null,
    response_body: answer.body.toString("utf8"),
  };
  const place = attemptPlace(account_id, event_id, endpoint_id, attempt);
  return {
    gone,
    url: endpoint.url,
    ended: {
      account_id,
      event_id,
      endpoint_id,
      claims,
      attempts_before: delivery.attempts_before,
      attempt,
      at: account_now,
      ...outcome,
      duration_ms: answer.duration_ms,
      exchange_sealed: deps.vault.seal(Buffer.from(JSON.stringify(kept)), place).toString("base64"),
    },
  };
}

async function answerOf(
  deps: SendDeps,
  { environment, url, sign }: SendingEndpoint,
  delivery: ClaimedDelivery,
  webhook_timestamp: number,
  traceparent: string | undefined,
): Promise<EndpointAnswer> {
  const { event_id } = delivery;
  if (delivery.body === null && delivery.body_sealed === null) return nothingSent("INTERNAL");
  let body: string;
  try {
    body = await withKeysOfNow(deps, async () => openBody(deps.vault, delivery));
  } catch {
    return nothingSent("INTERNAL");
  }
  let headers: Record<string, string>;
  try {
    headers = sign(event_id, body, webhook_timestamp);
  } catch {
    return nothingSent("NOT_SIGNED");
  }
  if (traceparent !== undefined) headers["traceparent"] = traceparent;
  return deps.webhook_client.send({ environment, url, headers, body });
}
