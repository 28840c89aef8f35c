import { createHmac } from "node:crypto";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import {
  compactAsciiJson,
  RESPONSE_TIMEOUT_S,
  requestSigner,
  signingKey,
  WEBHOOK_USER_AGENT,
  type WebhookEventRecord,
} from "@pestle/contract";
import { ANSWER_LIMIT_MS } from "../accounts/token.ts";
import { reason } from "../errors.ts";
import type { PartnerApi } from "../partner-api.ts";

/** A program's response, or `error` if it did not respond. */
export type Forwarded = { status: number | null; duration_ms: number; error: string | null };

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Sends events to a program on this machine with the same bytes and headers as a delivery. Retries until the program
 * responds; any response counts, even an error status.
 */
export async function openForwarder(
  api: PartnerApi,
  url: string,
): Promise<(event: WebhookEventRecord, stop: AbortSignal) => Promise<Forwarded>> {
  const key = signingKey(api.client.client_secret);
  const { webhook_secret: secret, signing_secret } = listenSecrets(key);
  const sign = requestSigner(await operatorName(api), WEBHOOK_USER_AGENT, url, { key, secret, signing_secret });
  return async (event, stop) => {
    const body = compactAsciiJson(event.body);
    for (let pause_ms = FIRST_PAUSE_MS, told = false; ; pause_ms = Math.min(LONGEST_PAUSE_MS, pause_ms * 2)) {
      const began_ms = performance.now();
      const took = () => Math.round(performance.now() - began_ms);
      try {
        const headers = sign(event.event_id, body, Math.floor(Date.now() / 1000));
        return { status: await post(url, headers, body, stop), duration_ms: took(), error: null };
      } catch (error) {
        stop.throwIfAborted();
        if ((error as Error).name === "TimeoutError") return { status: null, duration_ms: took(), error: "no answer" };
        if (!told) process.stderr.write(`${url} does not answer (${reason(error)}). Retrying.\n`);
        told = true;
        await delay(pause_ms, undefined, { signal: stop });
      }
    }
  };
}

/** Derived from the key, so they stay the same on every run; they do not reveal the key. */
export function listenSecrets(key: string): { webhook_secret: string; signing_secret: string } {
  const made = (name: string) => createHmac("sha256", key).update(`pestle listen ${name}`).digest();
  return {
    webhook_secret: made("webhook_secret").toString("base64url"),
    signing_secret: `whsec_${made("signing_secret").toString("base64")}`,
  };
}

/** The name in the headers, read from the service's own OpenAPI document. */
export async function operatorName({ base_url, config }: PartnerApi): Promise<string> {
  try {
    const response = await fetch(`${base_url}/openapi.json`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    const { webhooks } = (await response.json()) as {
      webhooks: { RX_RECEIVED: { post: { parameters: { name: string }[] } } };
    };
    const names = webhooks.RX_RECEIVED.post.parameters.map(({ name }) => /^X-(.+)-Signature$/.exec(name)?.[1]);
    return names.find((name) => name !== undefined) ?? config.OPERATOR_NAME;
  } catch {
    return config.OPERATOR_NAME;
  }
}

/** The response status. Redirects are not followed, as in real deliveries. */
function post(url: string, headers: Record<string, string>, body: string, stop: AbortSignal): Promise<number> {
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(RESPONSE_TIMEOUT_S * 1000)]);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(signal.aborted ? signal.reason : error);
    const outgoing = request(url, { method: "POST", headers, signal }, (response: IncomingMessage) => {
      response.on("error", fail);
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    outgoing.on("error", fail);
    outgoing.end(body);
  });
}
