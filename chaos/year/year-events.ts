import type { Order, WebhookEventRecord } from "@pestle/contract";
import { type Book, count, grouped } from "./year-book.ts";
import { readFeed } from "./year-orders.ts";
import { readAll, type Year } from "./year-world.ts";

type Body = { sequence?: number; order_status?: string; previous_order_status?: string | null };

/** The feed read again from its start: complete, the same as the partner read it, and in order for each order. */
export async function eventFaults(year: Year, orders: readonly Order[]): Promise<string[]> {
  const { host, book } = year;
  const stored = await host.raw("select count(*)::integer as events from webhook_event where account_id = $1", [
    book.account_id,
  ]);
  // Another page size than the partner uses.
  const replay = await readAll<WebhookEventRecord>(year, "/webhook_events", "webhook_events", 173);
  count(book, "events", replay.length);
  for (const { event_type } of replay) count(book, `events ${event_type}`);
  // The service's jobs go on and can write another event. The partner goes on reading.
  await readFeed(year);
  const { rows } = await host.raw("select order_number, sequence from orders where account_id = $1", [book.account_id]);
  const sequences = new Map(rows.map((row) => [String(row["order_number"]), Number(row["sequence"])]));
  const by_order = grouped(replay, ({ order_number }) => order_number);
  return [
    ...feedFaults(book, replay, Number(stored.rows[0]!["events"])),
    ...orders.flatMap((order) => {
      const own = by_order.get(order.order_number) ?? [];
      return orderEventFaults(order, own, sequences.get(order.order_number) ?? 0);
    }),
  ];
}

function feedFaults({ feed }: Book, replay: readonly WebhookEventRecord[], stored: number): string[] {
  const ids = replay.map(({ event_id }) => event_id);
  const faults: string[] = [];
  if (new Set(ids).size !== ids.length) faults.push("an event is in the feed twice");
  if (ids.length < stored) faults.push(`the feed has ${ids.length} events, and ${stored} are stored`);
  const missed = ids.findIndex((event_id, index) => event_id !== feed[index]?.event_id);
  if (missed >= 0) {
    faults.push(`the partner read ${feed.length} events in another order than the replay of ${ids.length} (${missed})`);
  }
  return faults;
}

function orderEventFaults(order: Order, own: readonly WebhookEventRecord[], sequence: number): string[] {
  const faults: string[] = [];
  let last = 0;
  let status: string | null = null;
  let at = "";
  for (const { event_type, body, created_at } of own) {
    const told = body as Body;
    if (created_at < at) faults.push("an order's event is older than the one before");
    at = created_at;
    // Messages are not a change of the order.
    if (told.sequence === undefined) continue;
    if (told.sequence < last || told.sequence > last + 1) {
      faults.push(`the sequence of an order goes from ${last} to ${told.sequence}`);
    }
    last = told.sequence;
    if (event_type !== "ORDER_UPDATED") continue;
    if ((told.previous_order_status ?? null) !== status) {
      faults.push(`an order's event follows ${told.previous_order_status}, and the last one said ${status}`);
    }
    status = told.order_status ?? null;
  }
  if (last !== sequence) faults.push(`the last sequence of an order is ${sequence}, and its events end with ${last}`);
  if (status !== order.order_status)
    faults.push(`an order is ${order.order_status}, and its last event says ${status}`);
  return faults;
}
