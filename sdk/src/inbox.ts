import type { EventType } from "./generated/records.ts";
import { createMemoryStore } from "./memory-store.ts";
import type { WebhookBody, WebhookBodyOf } from "./webhook-body.ts";

/** The changes of one order received so far: all up to `highest` except those in `missing`. */
export type Heard = { highest: number; missing: readonly number[] };

/**
 * The inbox's storage. Your own store survives restarts and can serve several processes. `Context` is what the store
 * passes to the work, such as the transaction that records the event.
 */
export type InboxStore<Context = undefined> = {
  /**
   * Runs `work` unless this event was processed before, and records the event only if `work` succeeds. A concurrent call
   * for the same event waits for the first. Returns whether `work` ran.
   */
  once(event_id: string, work: (context: Context) => Promise<void>): Promise<boolean>;
  /** Updates the known changes of an order. Called within `work`, and takes effect only if `work` succeeds. */
  hear(order_number: string, change: (heard: Heard | undefined) => Heard, context: Context): Promise<void> | void;
};

export type EventFacts<Context = undefined> = {
  /** A newer change of this order was processed earlier: do not overwrite it. */
  late: boolean;
  /** The changes of this order that have not arrived yet. */
  missing: readonly number[];
  context: Context;
};
type Work<Event, Context> = (event: Event, facts: EventFacts<Context>) => void | Promise<void>;
export type Gap = { order_number: string; missing: readonly number[] };

export type InboxOptions<Context = undefined> = {
  /** The handler for each event type. */
  on?: { [Type in EventType]?: Work<WebhookBodyOf<Type>, Context> };
  /** The handler for all other types, including types newer than this package. Without it they are only recorded. */
  otherwise?: Work<WebhookBody, Context>;
  /** Changes of an order are missing: fetch them from the feed, or wait, because they may still arrive. */
  onGap?: (gap: Gap) => void | Promise<void>;
  /** A sample that you sent with `webhookEndpoints.test`. Its data is made up, so no other handler runs. */
  onTest?: (event: WebhookBody) => void | Promise<void>;
};

export type Inbox = {
  /** Processes an event from any source: a verified delivery or the feed. */
  take(event: WebhookBody): Promise<"worked" | "duplicate" | "test">;
};

/**
 * Processes each event once, however often it arrives, and reports missing changes of an order. Does not record an event
 * whose handler fails, so that a redelivery processes it.
 */
export function openInbox<Context>(options: InboxOptions<NoInfer<Context>> & { store: InboxStore<Context> }): Inbox;
export function openInbox(options: InboxOptions): Inbox;
export function openInbox<Context>(options: InboxOptions<Context> & { store?: InboxStore<Context> }): Inbox {
  const { on = {}, otherwise, onGap, onTest } = options;
  const store = options.store ?? (createMemoryStore() as unknown as InboxStore<Context>);
  return {
    async take(event) {
      if ("test" in event && event.test === true) {
        await onTest?.(event);
        return "test";
      }
      let gap: Gap | undefined;
      const ran = await store.once(event.event_id, async (context) => {
        const heard = { late: false, missing: [] as readonly number[] };
        if ("sequence" in event && Number.isSafeInteger(event.sequence)) {
          const { order_number, sequence } = event;
          await store.hear(
            order_number,
            (before) => {
              const after = hear(before, sequence);
              Object.assign(heard, { late: sequence < after.highest, missing: after.missing });
              return after;
            },
            context,
          );
          if (!heard.late && heard.missing.length > 0) gap = { order_number, missing: heard.missing };
        }
        const work = (on[event.event_type] as Work<WebhookBody, Context> | undefined) ?? otherwise;
        await work?.(event, { ...heard, context });
      });
      if (!ran) return "duplicate";
      // Called after the event is recorded: a failing onGap must not undo the work.
      if (gap !== undefined) await onGap?.(gap);
      return "worked";
    },
  };
}

/** More changes than any order has. Bounds memory if a sandbox event carries a made-up number. */
const MOST_MISSING = 1_000;

/** An order's changes are numbered from 1; the events of one change share its number. */
export function hear(before: Heard | undefined, sequence: number): Heard {
  const { highest, missing } = before ?? { highest: 0, missing: [] };
  if (sequence <= highest) return { highest, missing: missing.filter((number) => number !== sequence) };
  const first = Math.max(highest + 1, sequence - MOST_MISSING);
  const skipped = Array.from({ length: sequence - first }, (_, index) => first + index);
  return { highest: sequence, missing: [...missing, ...skipped].slice(-MOST_MISSING) };
}
