import { errorOf, NotFound, PestleError, RateLimited, Unavailable } from "./errors.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** How requests are sent. The clock, randomness and sleep are arguments, so that tests need not wait. */
export type Travel = {
  fetch: typeof globalThis.fetch;
  now: () => Date;
  random: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The maximum number of retries; infinite: as many as the deadline allows. */
  retries: number;
  /** The time limit of one attempt. */
  attempt_timeout_ms: number;
};

/** A function makes the body of each attempt. */
export type Outgoing = {
  method: Method;
  url: URL;
  headers: Headers;
  body?: string | (() => Promise<string>) | undefined;
};

export type Answer<Body = unknown> = {
  status: number;
  headers: Headers;
  request_id: string | undefined;
  /** Undefined for a response without a body, such as 204 and 304. */
  body: Body;
};

/** The time limit of a call, including retries and waits. */
export type Deadline = { at_ms: number; signal: AbortSignal };

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
/** The maximum timer delay. A longer one would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends a request until it gets a final response. Retries connection errors, 429 and 503 with the same bytes and headers.
 * A POST carries its Idempotency-Key and the other methods are idempotent, so a request that did arrive the first time
 * takes effect only once.
 */
export async function send(travel: Travel, outgoing: Outgoing, deadline: Deadline): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const result = await sendOnce(travel, outgoing, deadline);
    if (!(result instanceof PestleError)) return result;
    // An earlier attempt whose response was lost has already deleted the record.
    if (outgoing.method === "DELETE" && attempt > 0 && result instanceof NotFound) return goneAlready(result);
    if (attempt >= travel.retries || !(result instanceof RateLimited || result instanceof Unavailable)) throw result;
    const wait_ms = waitBefore(attempt, result.retry_after_s, travel.random());
    // The retry would be too late: fail now, so that the caller can still do something else.
    if (travel.now().getTime() + wait_ms >= deadline.at_ms) throw result;
    await travel.sleep(wait_ms, deadline.signal).finally(() => deadline.signal.throwIfAborted());
  }
}

/** Runs work with a deadline. The signal fires at the deadline, or when the caller's signal does. */
export async function withDeadline<Result>(
  now: () => Date,
  deadline_ms: number,
  given: AbortSignal | undefined,
  run: (deadline: Deadline) => Promise<Result>,
): Promise<Result> {
  given?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(given?.reason);
  const expire = () => controller.abort(new Unavailable("The deadline passed."));
  const timer = setTimeout(expire, Math.min(deadline_ms, LONGEST_TIMER_MS));
  given?.addEventListener("abort", abort, { once: true });
  try {
    return await run({ at_ms: now().getTime() + deadline_ms, signal: controller.signal });
  } finally {
    clearTimeout(timer);
    given?.removeEventListener("abort", abort);
  }
}

/**
 * Exponential backoff: half of the wait is fixed and half is jitter, so that clients that failed together do not retry
 * together. Adds the jitter to `Retry-After`, because an earlier retry would be refused again.
 */
export function waitBefore(attempt: number, retry_after_s: number | undefined, chance: number): number {
  const half_ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) / 2;
  return Math.round((retry_after_s === undefined ? half_ms : retry_after_s * 1000) + chance * half_ms);
}

const goneAlready = ({ request_id }: NotFound): Answer => ({
  status: 204,
  headers: new Headers(),
  request_id,
  body: undefined,
});

/** Each attempt has its own time limit, so that a lost one leaves time for retries. */
async function sendOnce(travel: Travel, outgoing: Outgoing, deadline: Deadline): Promise<Answer | PestleError> {
  return withDeadline(travel.now, travel.attempt_timeout_ms, deadline.signal, ({ signal }) =>
    sendWithin(travel, outgoing, signal, deadline.signal),
  );
}

async function sendWithin(
  travel: Travel,
  outgoing: Outgoing,
  signal: AbortSignal,
  whole: AbortSignal,
): Promise<Answer | PestleError> {
  const { method, url, headers, body } = outgoing;
  const sent = typeof body === "function" ? await body() : body;
  let response: Response;
  let text: string;
  try {
    // The API never redirects, and following a redirect would leak the token or the body.
    response = await travel.fetch(url, { method, headers, body: sent ?? null, signal, redirect: "manual" });
    text = await response.text();
  } catch (cause) {
    if (whole.aborted && !(whole.reason instanceof Unavailable)) throw whole.reason;
    if (whole.aborted) throw new Unavailable(`No answer came from ${url.origin} before the deadline.`, { cause });
    if (signal.aborted) return new Unavailable(`No answer came from ${url.origin} in time.`, { cause });
    return new Unavailable(`${url.origin} could not be reached (${whyOf(cause)}).`, { cause });
  }
  const { status } = response;
  if (!response.ok && status !== 304) return errorOf(status, response.headers, text, travel.now());
  const request_id = response.headers.get("x-request-id") ?? undefined;
  try {
    return { status, headers: response.headers, request_id, body: text === "" ? undefined : JSON.parse(text) };
  } catch (cause) {
    return new PestleError("The answer is not JSON.", { status, request_id, cause });
  }
}

/** Node wraps the error of the connection, such as ECONNREFUSED. */
function whyOf(error: unknown): string {
  const { cause, code, message } = (error ?? {}) as { cause?: unknown; code?: string; message?: string };
  return code ?? (cause === undefined ? message : whyOf(cause)) ?? "unknown reason";
}
