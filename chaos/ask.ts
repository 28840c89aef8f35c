import { setTimeout as delay } from "node:timers/promises";

export type Reply = { status: number; headers: Headers; text: string };

const ANSWER_LIMIT_MS = 90_000;
const RETRY_AFTER_MS = 50;
/** Statuses on which a client must retry: a conflict or a request in progress, too many requests, unavailable. */
const TRY_AGAIN = new Set([409, 429, 503]);

/**
 * Sends one request. If the connection is refused, cut off or too slow, there is no reply, and the outcome is
 * unknown.
 */
export async function ask(url: string, init: RequestInit = {}): Promise<Reply | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** Repeats the same request until it gets a final answer, as a careful partner does. */
export async function insist(send: () => Promise<Reply | undefined>, deadline_ms: number): Promise<Reply> {
  const end = Date.now() + deadline_ms;
  for (;;) {
    const reply = await send();
    if (reply !== undefined && !TRY_AGAIN.has(reply.status)) return reply;
    if (Date.now() > end)
      throw new Error(`no final answer within ${deadline_ms} ms (last: ${reply?.status ?? "none"})`);
    await delay(reply?.status === 429 ? Number(reply.headers.get("retry-after") ?? 1) * 1000 : RETRY_AFTER_MS);
  }
}
