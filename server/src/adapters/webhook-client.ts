import { performance } from "node:perf_hooks";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { CONNECT_TIMEOUT_S, type Environment, RESPONSE_TIMEOUT_S } from "@pestle/contract";
import type { Agent, Dispatcher } from "undici";
import { BoundedMap } from "../domain/values/bounded-map.ts";
import type { EndpointAnswer } from "../domain/webhooks/attempt-outcome.ts";
import type { LoopbackPorts } from "../domain/webhooks/webhook-url.ts";
import type { Resolve } from "./webhook-guard.ts";

type WebhookRequest = {
  environment: Environment;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The body goes out in this many pieces, for the check of a receiver (default: at once). */
  pieces?: number;
};

/** Posts to endpoints. `send` always resolves within the time limit and never throws. */
export type WebhookClient = {
  send(request: WebhookRequest): Promise<EndpointAnswer>;
  /** The ports of this machine that it connects to, for the check of a new endpoint. */
  readonly loopback_ports: LoopbackPorts;
  /** Aborts requests in flight. */
  close(): Promise<void>;
};

/** Read so that the connection can be reused. A longer response is aborted. */
const MOST_READ_BYTES = 64 * 1024;
const MOST_KEPT_BYTES = 4 * 1024;
const SWEEP_EVERY_MS = 100;
const PIECE_PAUSE_MS = 20;

type Target = { origin: string; path: string };
const MOST_TARGETS = {
  entries: 10_000,
  bytes: 8 * 1024 * 1024,
  bytesOf: ({ origin, path }: Target) => 2 * (origin.length + path.length),
};

export function openWebhookClient(
  options: {
    loopback_ports?: LoopbackPorts;
    resolve?: Resolve;
    ca?: string;
    connect_timeout_ms?: number;
    response_timeout_ms?: number;
  } = {},
): WebhookClient {
  const {
    loopback_ports = [],
    connect_timeout_ms = CONNECT_TIMEOUT_S * 1000,
    response_timeout_ms = RESPONSE_TIMEOUT_S * 1000,
  } = options;
  // One per environment: a sandbox connection must never serve production.
  let agents: Promise<Record<Environment, Agent>> | undefined;
  /** Loads the HTTP client with the first event, because the service starts sooner without it. */
  const openAgents = async () => {
    const { webhookAgent } = await import("./webhook-agent.ts");
    const guard = { ...options, loopback_ports, connect_timeout_ms };
    return { production: webhookAgent("production", guard), sandbox: webhookAgent("sandbox", guard) };
  };
  /** In deadline order, because all have the same timeout. */
  const under_way = new Set<Exchange>();
  let sweeping: NodeJS.Timeout | undefined;

  // An endpoint receives many events, and parsing its URL takes as long as signing one.
  const targets = new BoundedMap<Target>(MOST_TARGETS);
  function targetOf(url: string): Target {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search };
    targets.set(url, target);
    return target;
  }

  function sweep(): void {
    const now_ms = performance.now();
    for (const exchange of under_way) {
      if (exchange.began_ms + response_timeout_ms > now_ms) break;
      exchange.cutOff("DEADLINE");
    }
    sweeping = under_way.size === 0 ? undefined : setTimeout(sweep, SWEEP_EVERY_MS);
    sweeping?.unref();
  }

  return {
    loopback_ports,
    send: ({ environment, url, headers, body, pieces }) =>
      new Promise((resolve) => {
        // An answer over plain HTTP comes from a program on the operator's machine. Only the demo shows it to partners.
        const keeps_body = loopback_ports === "any" || url.startsWith("https:");
        const exchange = new Exchange(keeps_body ? MOST_KEPT_BYTES : 0, (answer) => {
          under_way.delete(exchange);
          resolve(answer);
        });
        under_way.add(exchange);
        sweeping ??= setTimeout(sweep, SWEEP_EVERY_MS).unref();
        agents ??= openAgents();
        agents
          .then((opened) => {
            const sent = pieces === undefined ? { headers, body } : inPieces(headers, body, pieces);
            opened[environment].dispatch({ ...targetOf(url), method: "POST", ...sent }, exchange);
          })
          .catch(() => exchange.cutOff("INTERNAL"));
      }),
    async close() {
      clearTimeout(sweeping);
      for (const exchange of under_way) exchange.cutOff("CLOSED");
      if (agents === undefined) return;
      const { production, sandbox } = await agents;
      await Promise.all([production.destroy(), sandbox.destroy()]);
    },
  };
}

/** One request and its response, as an undici handler. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly began_ms = performance.now();
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | null = null;
  #retry_after: string | undefined;
  #content_type: string | undefined;
  readonly #most_kept_bytes: number;
  #kept: Buffer[] = [];
  #kept_bytes = 0;
  #read_bytes = 0;
  #done: ((answer: EndpointAnswer) => void) | undefined;

  constructor(most_kept_bytes: number, done: (answer: EndpointAnswer) => void) {
    this.#most_kept_bytes = most_kept_bytes;
    this.#done = done;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#done === undefined) controller.abort(new Error("too late"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Skip informational responses such as 100 and 103.
    if (status < 200) return;
    this.#status = status;
    this.#retry_after = first(headers["retry-after"]);
    this.#content_type = first(headers["content-type"]);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read_bytes += chunk.length;
    if (this.#kept_bytes < this.#most_kept_bytes) {
      const part = chunk.subarray(0, this.#most_kept_bytes - this.#kept_bytes);
      // Copy: undici reuses the chunk's buffer.
      this.#kept.push(Buffer.from(part));
      this.#kept_bytes += part.length;
    }
    if (this.#read_bytes > MOST_READ_BYTES) this.cutOff("TOO_LONG");
  }

  onResponseEnd(): void {
    this.#finish(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(codeOf(error));
  }

  cutOff(trouble: string): void {
    this.#finish(trouble);
    this.#controller?.abort(new Error(trouble));
  }

  #finish(trouble: string | null): void {
    const done = this.#done;
    this.#done = undefined;
    done?.({
      status: this.#status,
      trouble: this.#status === null ? trouble : null,
      retry_after: this.#retry_after,
      content_type: this.#content_type,
      body: this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept),
      duration_ms: Math.round(performance.now() - this.began_ms),
    });
  }
}

/** The same request, its body cut into pieces with a short pause between them. */
function inPieces(headers: Record<string, string>, body: string, pieces: number) {
  const size = Math.ceil(body.length / pieces);
  async function* cut() {
    for (let from = 0; from < body.length; from += size) {
      if (from > 0) await delay(PIECE_PAUSE_MS);
      yield body.slice(from, from + size);
    }
  }
  // Webhook bodies are ASCII, so characters are bytes.
  return { headers: { ...headers, "content-length": String(body.length) }, body: Readable.from(cut()) };
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

function codeOf(error: Error & { code?: string; cause?: unknown }): string {
  // The error does not always carry a specific code.
  if (error.name === "HTTPParserError") return "HPE_INVALID";
  if (typeof error.code === "string" && error.code !== "UND_ERR_ABORTED") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : (error.code ?? "INTERNAL");
}
