import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { ProviderName } from "@pestle/contract";
import type { Agent, Dispatcher } from "undici";
import { breaker } from "./breaker.ts";
import type { ProviderWatch } from "./provider-watch.ts";

/**
 * The provider gave no usable answer: the connection failed, it took too long, it is overloaded or broken, or the breaker
 * is open. Whether the request had an effect is unknown.
 */
export class ProviderUnavailable extends Error {
  override name = "ProviderUnavailable";
  readonly provider: ProviderName;
  /** Such as `timeout`, `http_503` or `breaker_open`. */
  readonly cause_code: string;
  constructor(provider: ProviderName, cause_code: string) {
    super(`${provider} gave no usable answer (${cause_code})`);
    this.provider = provider;
    this.cause_code = cause_code;
  }
}

type ProviderRequest = {
  method: "GET" | "POST" | "DELETE";
  /** With a leading slash, below the base URL. */
  path: string;
  form?: URLSearchParams;
  json?: unknown;
  /** A POST without a key is never repeated. */
  idempotency_key?: string;
  /** The order that the call is about, for its timeline. */
  about?: { account_id: string; order_number: string };
  /** Such as `authorize payment`, for the timeline and the metrics. */
  what: string;
  /** The answer is a file. */
  bytes?: true;
  /** Another origin than the base URL's, for files. */
  origin?: string;
};

/** A success, or a refusal that another try would not change. */
export type ProviderAnswer = { status: number; body: unknown; headers: Readonly<Record<string, string>> };
export type ProviderClient = { call(request: ProviderRequest): Promise<ProviderAnswer>; close(): Promise<void> };

const MOST_TRIES = 3;
const MOST_ANSWER_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
const FIRST_PAUSE_MS = 200;
const MOST_PAUSE_MS = 2_000;

/** The HTTP client of one provider. `call` throws `ProviderUnavailable` and nothing else. */
export function openProviderClient(options: {
  provider: ProviderName;
  base_url: string;
  headers: Readonly<Record<string, string>>;
  timeout_ms?: number;
  watch: ProviderWatch;
  /** Milliseconds of a clock that never goes back. */
  ticks: () => number;
  now: () => Date;
}): ProviderClient {
  const { provider, base_url, watch, ticks, now, timeout_ms = TIMEOUT_MS } = options;
  const gate = breaker({ now: ticks, changed: (state) => watch.setBreaker(provider, state) });
  // Loaded with the first call: most commands and many services make none.
  let agent: Promise<Agent> | undefined;
  const openAgent = async () => {
    const undici = await import("undici");
    return new undici.Agent({ connect: { timeout: 5_000 }, connections: 16, headersTimeout: timeout_ms });
  };

  async function once(request: ProviderRequest): Promise<ProviderAnswer> {
    agent ??= openAgent();
    const target = request.origin ?? base_url;
    const { statusCode, headers, body } = await (await agent).request({
      origin: new URL(target).origin,
      path: `${request.origin === undefined ? new URL(target).pathname.replace(/\/$/, "") : ""}${request.path}`,
      method: request.method,
      // A file's host is not the API's, so it gets no key.
      headers: request.origin === undefined ? { ...options.headers, ...bodyHeaders(request) } : {},
      ...bodyOf(request),
      signal: AbortSignal.timeout(timeout_ms),
    });
    const bytes = await readBounded(body);
    const answer = { status: statusCode, headers: flat(headers) };
    if (request.bytes === true && statusCode < 300) return { ...answer, body: bytes };
    return { ...answer, body: parsed(bytes) };
  }

  async function call(request: ProviderRequest): Promise<ProviderAnswer> {
    const { what, about, method } = request;
    const began_ms = ticks();
    const at = now();
    const seen = (tries: number, status: number | null, error_code: string | null, answer?: ProviderAnswer) =>
      watch.observe(
        {
          ...{ exchange_id: randomUUID(), provider, what, about, at, status, tries, error_code },
          duration_ms: ticks() - began_ms,
          provider_request_id: answer?.headers["request-id"] ?? answer?.headers["x-request-id"] ?? null,
        },
        answer !== undefined,
      );
    const most = method === "POST" && request.idempotency_key === undefined ? 1 : MOST_TRIES;
    for (let tries = 1; ; tries++) {
      if (!gate.allows()) {
        seen(tries - 1, null, "breaker_open");
        throw new ProviderUnavailable(provider, "breaker_open");
      }
      let cause: string;
      let wait_ms = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MOST_PAUSE_MS);
      let status: number | null = null;
      try {
        const answer = await once(request);
        status = answer.status;
        const again = mayChange(answer);
        if (!again) {
          gate.passed();
          seen(tries, status, errorCodeOf(answer), answer);
          return answer;
        }
        cause = `http_${status}`;
        wait_ms = retryAfter(answer) ?? wait_ms;
      } catch (error) {
        cause = causeOf(error);
      }
      gate.failed();
      if (tries >= most) {
        seen(tries, status, cause);
        throw new ProviderUnavailable(provider, cause);
      }
      await pause(wait_ms);
    }
  }

  return {
    call,
    async close() {
      await (await agent)?.destroy();
    },
  };
}

class TooLong extends Error {}
class Garbage extends Error {}

/** Overloaded, broken, or still working on the same request. */
const mayChange = ({ status, body }: ProviderAnswer): boolean =>
  status >= 500 || status === 429 || status === 408 || (status === 409 && errorCode(body) === "idempotency_key_in_use");

function retryAfter({ headers }: ProviderAnswer): number | undefined {
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, MOST_PAUSE_MS) : undefined;
}

const errorCodeOf = ({ status, body }: ProviderAnswer): string | null =>
  status < 400 ? null : (errorCode(body) ?? `http_${status}`);

/** Providers name errors in `error.code`, `error.type` or `code`. */
function errorCode(body: unknown): string | undefined {
  const { error, code } = (body ?? {}) as { error?: { code?: unknown; type?: unknown }; code?: unknown };
  const found = error?.code ?? error?.type ?? code;
  return typeof found === "string" || typeof found === "number" ? String(found).slice(0, 80) : undefined;
}

function causeOf(error: unknown): string {
  if (error instanceof TooLong) return "answer_too_long";
  if (error instanceof Garbage) return "garbage";
  const { name, code } = error as { name?: string; code?: string };
  if (name === "TimeoutError" || /TIMEOUT/.test(code ?? "")) return "timeout";
  return (code ?? "no_connection").toLowerCase().slice(0, 80);
}

const bodyHeaders = ({ form, json, idempotency_key }: ProviderRequest): Record<string, string> => ({
  accept: "application/json",
  ...(form !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
  ...(json !== undefined && { "content-type": "application/json" }),
  ...(idempotency_key !== undefined && { "idempotency-key": idempotency_key }),
});

function bodyOf({ form, json }: ProviderRequest): { body?: string } {
  if (form !== undefined) return { body: form.toString() };
  return json === undefined ? {} : { body: JSON.stringify(json) };
}

async function readBounded(body: Dispatcher.ResponseData["body"]): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += (part as Buffer).length;
    if (length > MOST_ANSWER_BYTES) throw new TooLong();
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

function parsed(bytes: Buffer): unknown {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Garbage();
  }
}

const flat = (headers: Dispatcher.ResponseData["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
