import type { Call, CallOptions, WriteOptions } from "../client.ts";
import { RateLimited, Unavailable } from "../errors.ts";
import type { RedeliveryRequest, WebhookAttempt, WebhookEventRecord } from "../generated/records.ts";
import { type Listing, listing } from "../listing.ts";
import type { AnswerOf, QueryOf } from "../operations.ts";
import type { Travel } from "../transport.ts";
import type { WebhookBody } from "../webhook-body.ts";
import type { PageOptions } from "./orders.ts";

/** An event in the feed. Its body is the one that endpoints receive. */
export type WebhookEvent = Omit<WebhookEventRecord, "body"> & { body: WebhookBody };
export type EventPage = Omit<AnswerOf<"listWebhookEvents">, "webhook_events"> & { webhook_events: WebhookEvent[] };
export type EventFilter = QueryOf<"listWebhookEvents">;
export type FollowOptions = EventFilter & {
  /** Ends the loop without an error. */
  signal?: AbortSignal;
  /** The polling interval at the end of the feed (default: 2 s). */
  poll_ms?: number;
};

export type Events = {
  /** All events so far, oldest first. */
  list(filter?: EventFilter, options?: CallOptions): Listing<WebhookEvent, EventPage>;
  /**
   * Past and future events, page by page, without end. Process the events, store `cursor` durably, and start with it next
   * time. Waits while the service is unreachable.
   */
  follow(options?: FollowOptions): AsyncGenerator<{ events: WebhookEvent[]; cursor: string }, void>;
  get(event_id: string, options?: CallOptions): Promise<WebhookEvent>;
  /** Every delivery attempt, newest first. */
  attempts(event_id: string, options?: PageOptions): Listing<WebhookAttempt, AnswerOf<"listWebhookAttempts">>;
  redeliver(event_id: string, to?: RedeliveryRequest, options?: WriteOptions): Promise<WebhookEvent>;
};

const POLL_MS = 2_000;
const MOST_ON_A_PAGE = 200;

export function eventsOf(call: Call, { sleep }: Pick<Travel, "sleep">): Events {
  const page = (query: EventFilter, options?: CallOptions) =>
    call("listWebhookEvents", { query }, options) as Promise<EventPage>;
  return {
    list: (filter = {}, options) =>
      listing(
        (cursor) => page(cursor === undefined ? filter : { ...filter, cursor }, options),
        ({ webhook_events }) => webhook_events,
      ),
    async *follow({ signal = new AbortController().signal, poll_ms = POLL_MS, cursor, ...filter } = {}) {
      let at = cursor;
      while (!signal.aborted) {
        const next = await page({ limit: MOST_ON_A_PAGE, ...filter, cursor: at }, { signal }).catch((error) => {
          if (signal.aborted || error instanceof Unavailable || error instanceof RateLimited) return undefined;
          throw error;
        });
        if (next !== undefined) {
          const moved = next.end_cursor !== at;
          at = next.end_cursor;
          if (moved || next.webhook_events.length > 0) yield { events: next.webhook_events, cursor: at };
        }
        if (next === undefined || next.next_cursor === null) await sleep(poll_ms, signal).catch(() => {});
      }
    },
    get: (event_id, options) => call("getWebhookEvent", { path: { event_id } }, options) as Promise<WebhookEvent>,
    attempts: (event_id, { limit, ...options } = {}) =>
      listing(
        (cursor) => call("listWebhookAttempts", { path: { event_id }, query: { limit, cursor } }, options),
        ({ attempts }) => attempts,
      ),
    redeliver: (event_id, body = {}, options) =>
      call("redeliverWebhookEvent", { path: { event_id }, body }, options) as Promise<WebhookEvent>,
  };
}
