import type { Endpoint } from "@pestle/contract";
import { errorOf, NotFound, PestleError, RateLimited, Unavailable } from "./errors.ts";

export type Method = Endpoint["method"];

/** How requests travel. Time and chance are arguments, so that whoever tests need not wait. */
export type Travel = {
  fetch: typeof globalThis.fetch;
  now: () => Date;
  random: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** How often a request is sent again. */
  retries: number;
  /** How long one attempt may take. */
  attempt_timeout_ms: number;
};

export type Outgoing = { method: Method; url: URL; headers: Headers; body?: string | undefined };

export type Answer<Body = unknown> = {
  status: number;
  headers: Headers;
  request_id: string | undefined;
  /** Undefined when the answer has none, as with 204 and 304. */
  body: Body;
};

/** When a call must have ended, retries and waits included. */
export type Deadline = { at_ms: number; signal: AbortSignal };

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
/** A timer takes no more; with more it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends a request until it is answered for good. Connection errors, 429 and 503 are tried again, all with the same
 * bytes and headers: a POST carries its Idempotency-Key, and the other methods read, set or delete, so that a request
 * which did arrive the first time happens once all the same.
 */
export async function send(travel: Travel, outgoing: Outgoing, deadline: Deadline): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const result = await sendOnce(travel, outgoing, deadline);
    if (!(result instanceof PestleError)) return result;
    // What an attempt without an answer removed is gone, and that is what was asked for.
    if (outgoing.method === "DELETE" && attempt > 0 && result instanceof NotFound) return goneAlready(result);
    if (attempt >= travel.retries || !(result instanceof RateLimited || result instanceof Unavailable)) throw result;
    const wait_ms = waitBefore(attempt, result.retry_after_s, travel.random());
    // To wait for what will come too late helps nobody: the caller learns now and can still do something else.
    if (travel.now().getTime() + wait_ms >= deadline.at_ms) throw result;
    await travel.sleep(wait_ms, deadline.signal).finally(() => deadline.signal.throwIfAborted());
  }
}

/** Runs something that must end in time. The signal fires at the deadline, or when the caller's own does. */
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
 * Half of a doubling wait is fixed and half is chance, so that clients that failed together do not come back
 * together. After `Retry-After` the chance is added: earlier would be refused again.
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

/** An attempt has a limit of its own, so that one that was lost on the way leaves time for others. */
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
  let response: Response;
  let text: string;
  try {
    // The API never redirects, and following would hand the token or the body to somebody else.
    response = await travel.fetch(url, { method, headers, body: body ?? null, signal, redirect: "manual" });
    text = await response.text();
  } catch (cause) {
    whole.throwIfAborted();
    return new Unavailable(signal.aborted ? "No answer came in time." : "The service could not be reached.", { cause });
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
