import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import {
  type PlannedDelivery,
  RESPONSE_TIMEOUT_S,
  type ReceiverAnswer,
  readReceiverState,
  type Seen,
} from "@pestle/contract";
import type { CertifyReach } from "./certify-receiver.ts";

export type ReachOptions = { url: string; state_url?: string | undefined; time_limit_ms?: number };

/** Between the pieces of a slow body. */
const PIECE_PAUSE_MS = 20;
const MOST_STATE_BYTES = 8 * 1024 * 1024;

/** Reaches a receiver from this machine. It can be on this machine: the developer chose the URL. */
export function reachReceiver(options: ReachOptions): CertifyReach {
  const { url, state_url, time_limit_ms = RESPONSE_TIMEOUT_S * 1000 } = options;
  return {
    send: (delivery) => send(url, delivery, time_limit_ms),
    readState: async () => (state_url === undefined ? null : await readState(state_url, time_limit_ms)),
  };
}

/** Redirects are not followed. The first answer counts, even if the receiver closes before it has read the whole body. */
function send(url: string, delivery: PlannedDelivery, time_limit_ms: number): Promise<ReceiverAnswer> {
  const { headers, body, pieces = 1 } = delivery;
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  const signal = AbortSignal.timeout(time_limit_ms);
  return new Promise((resolve) => {
    const fail = () => resolve({ status: null, trouble: signal.aborted ? "timeout" : "connection" });
    // A connection for each delivery, so that the end of one cannot harm the next.
    const options = { method: "POST", headers: { ...headers, "content-length": body.length }, signal, agent: false };
    const outgoing = request(url, options, (response: IncomingMessage) => {
      resolve({ status: response.statusCode ?? 0, trouble: null });
      response.on("error", () => {});
      response.resume();
    });
    outgoing.on("error", fail);
    if (pieces === 1) outgoing.end(body);
    else void sendPieces().catch(fail);

    async function sendPieces() {
      const size = Math.ceil(body.length / pieces);
      for (let from = 0; from < body.length; from += size) {
        // The pause begins when the piece is on its way. Otherwise a slow connection would send all pieces together.
        await new Promise((sent) => outgoing.write(body.slice(from, from + size), sent));
        await delay(PIECE_PAUSE_MS, undefined, { signal });
      }
      outgoing.end();
    }
  });
}

async function readState(url: string, time_limit_ms: number): Promise<Exclude<Seen["state"], null>> {
  try {
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(time_limit_ms) });
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += (chunk as Uint8Array).length;
      if (length > MOST_STATE_BYTES) return "unreadable";
      chunks.push(chunk as Uint8Array);
    }
    if (!response.ok) return "unreadable";
    return readReceiverState(JSON.parse(Buffer.concat(chunks).toString("utf8"))) ?? "unreadable";
  } catch {
    return "unreadable";
  }
}
