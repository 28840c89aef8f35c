import type { Heard, InboxStore } from "./inbox.ts";

type Change = { order_number: string; change: (heard: Heard | undefined) => Heard };

const MOST_EVENTS = 100_000;
const MOST_ORDERS = 20_000;

/** Remembers in memory, as much as it is told to: what is oldest is forgotten. */
export function createMemoryStore(most: { events?: number; orders?: number } = {}): InboxStore {
  const { events: most_events = MOST_EVENTS, orders: most_orders = MOST_ORDERS } = most;
  const done = new Set<string>();
  const working = new Map<string, Promise<void>>();
  const orders = new Map<string, Heard>();

  return {
    async once(event_id, work) {
      // Whoever waits for another's work that fails does it himself, unless a third was faster.
      for (let other = working.get(event_id); other !== undefined; other = working.get(event_id)) {
        await other.catch(() => {});
      }
      if (done.has(event_id)) return false;
      const changes: Change[] = [];
      const run = Promise.resolve(changes as unknown as undefined).then(work);
      working.set(event_id, run);
      try {
        await run;
      } finally {
        working.delete(event_id);
      }
      for (const { order_number, change } of changes) {
        const heard = change(orders.get(order_number));
        orders.delete(order_number);
        orders.set(order_number, heard);
      }
      forgetOldest(orders, most_orders);
      done.add(event_id);
      forgetOldest(done, most_events);
      return true;
    },
    // Looked at now and kept when the work succeeded, on top of what others heard meanwhile: the context is the list.
    hear(order_number, change, context) {
      change(orders.get(order_number));
      (context as unknown as Change[]).push({ order_number, change });
    },
  };
}

function forgetOldest(
  kept: { size: number; keys(): Iterable<string>; delete(key: string): unknown },
  most: number,
): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
