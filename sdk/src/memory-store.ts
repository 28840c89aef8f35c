import type { Heard, InboxStore } from "./inbox.ts";

type Change = { order_number: string; change: (heard: Heard | undefined) => Heard };

const MOST_EVENTS = 100_000;
const MOST_ORDERS = 20_000;

/** An in-memory store with a size limit. Drops the oldest entries. */
export function createMemoryStore(most: { events?: number; orders?: number } = {}): InboxStore {
  const { events: most_events = MOST_EVENTS, orders: most_orders = MOST_ORDERS } = most;
  const done = new Set<string>();
  const working = new Map<string, Promise<void>>();
  const orders = new Map<string, Heard>();

  return {
    async once(event_id, work) {
      // If the work we waited for failed, do it ourselves, unless another caller was faster.
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
    // Computes the change now and applies it again after the work succeeds, on top of concurrent changes. The context
    // is the list of changes.
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
