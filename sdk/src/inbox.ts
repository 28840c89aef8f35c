import type { EventType, WebhookBody, WebhookBodyOf } from "@pestle/contract";
import { createMemoryStore } from "./memory-store.ts";

/** Which changes of one order were heard of: all up to `highest` but those in `missing`. */
export type Heard = { highest: number; missing: readonly number[] };

/**
 * Where the inbox remembers. A store of your own makes it outlast a restart and serve several processes; `Context` is
 * what it hands to the work, such as the transaction in which the event is noted.
 */
export type InboxStore<Context = undefined> = {
  /**
   * Runs `work` unless this event was worked on before, and notes the event only if `work` succeeded. A second one at
   * the same time waits for the first. Says whether it ran.
   */
  once(event_id: string, work: (context: Context) => Promise<void>): Promise<boolean>;
  /** Replaces what is known of an order's changes; called within `work`, and counts only if that succeeds. */
  hear(order_number: string, change: (heard: Heard | undefined) => Heard, context: Context): Promise<void> | void;
};

export type EventFacts<Context = undefined> = {
  /** A newer change of this order was worked on before: do not let it undo what came after. */
  late: boolean;
  /** The changes of this order that were not heard of yet, this one being the newest. */
  missing: readonly number[];
  context: Context;
};
type Work<Event, Context> = (event: Event, facts: EventFacts<Context>) => void | Promise<void>;
export type Gap = { order_number: string; missing: readonly number[] };

export type InboxOptions<Context = undefined> = {
  /** What to do on each type of event. */
  on?: { [Type in EventType]?: Work<WebhookBodyOf<Type>, Context> };
  /** And on those that have no entry, types that are newer than this package among them; else they are only noted. */
  otherwise?: Work<WebhookBody, Context>;
  /** Changes of an order were left out: pull them from the feed, or wait, as they may be on the way. */
  onGap?: (gap: Gap) => void | Promise<void>;
  /** A sample that you had sent with `webhookEndpoints.test`: it tells of nobody, so nothing else is done with it. */
  onTest?: (event: WebhookBody) => void | Promise<void>;
};

export type Inbox = {
  /** Works on an event, from wherever it came: a delivery that was verified, or the feed. */
  take(event: WebhookBody): Promise<"worked" | "duplicate" | "test">;
};

/**
 * Works on each event once, however often it arrives, and tells when one of an order's changes is missing. An event
 * whose work fails is not noted, so that it is worked on when it comes again.
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
        if ("order_number" in event && Number.isSafeInteger(event.sequence)) {
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
      // After the work is noted: it must not be undone because somebody could not look into a gap.
      if (gap !== undefined) await onGap?.(gap);
      return "worked";
    },
  };
}

/** No order has as many changes; a receiver must not fall for a number that a sandbox made up. */
const MOST_MISSING = 1_000;

/** An order's changes are numbered from 1; the events of one change share its number. */
export function hear(before: Heard | undefined, sequence: number): Heard {
  const { highest, missing } = before ?? { highest: 0, missing: [] };
  if (sequence <= highest) return { highest, missing: missing.filter((number) => number !== sequence) };
  const first = Math.max(highest + 1, sequence - MOST_MISSING);
  const skipped = Array.from({ length: sequence - first }, (_, index) => first + index);
  return { highest: sequence, missing: [...missing, ...skipped].slice(-MOST_MISSING) };
}
