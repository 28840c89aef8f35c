import type { Order, WebhookEventRecord } from "@pestle/contract";
import { type Book, count, grouped } from "./year-book.ts";
import { readFeed } from "./year-orders.ts";
import { readAll, type Year } from "./year-world.ts";

/** Afterwards the feed lacks an event for another reason than a job that goes on. */
const MOST_ROUNDS = 5;

type Body = { sequence?: number; order_status?: string; previous_order_status?: string | null };

/** The feed read again from its start: complete, the same as the partner read it, and in order for each order. */
export async function eventFaults(year: Year, orders: readonly Order[]): Promise<string[]> {
  const { host, book } = year;
  const stored = await host.raw("select count(*)::integer as events from webhook_event where account_id = $1", [
    book.account_id,
  ]);
  const { replay, now } = await replayed(year);
  count(book, "events", replay.length);
  for (const { event_type } of replay) count(book, `events ${event_type}`);
  // The service's jobs go on and can write another event. The partner goes on reading.
  await readFeed(year);
  const by_order = grouped(replay, ({ order_number }) => order_number);
  return [
    ...feedFaults(book, replay, Number(stored.rows[0]!["events"])),
    ...orders.flatMap((order) => {
      const own = by_order.get(order.order_number) ?? [];
      return orderEventFaults(now.get(order.order_number)!, own);
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

type Now = { order_status: string; sequence: number };

/** The feed from its start, and the orders as they are at its end: it is read again if a job wrote an event meanwhile. */
async function replayed(year: Year): Promise<{ replay: WebhookEventRecord[]; now: Map<string, Now> }> {
  for (;;) {
    // Another page size than the partner uses.
    const replay = await readAll<WebhookEventRecord>(year, "/webhook_events", "webhook_events", 173);
    const { rows } = await year.host.raw(
      `select o.order_number, o.order_status, o.sequence,
        (select count(*)::integer from webhook_event e where e.account_id = $1) as events
      from orders o
      where o.account_id = $1`,
      [year.book.account_id],
    );
    const later = Number(rows[0]?.["events"] ?? 0) > replay.length;
    const rounds = (year.book.seen["feeds read again"] ?? 0) < MOST_ROUNDS;
    if (later && rounds) {
      count(year.book, "feeds read again");
      continue;
    }
    const state = (row: Record<string, unknown>): [string, Now] => [
      String(row["order_number"]),
      { order_status: String(row["order_status"]), sequence: Number(row["sequence"]) },
    ];
    return { replay, now: new Map(rows.map(state)) };
  }
}

function orderEventFaults({ order_status, sequence }: Now, own: readonly WebhookEventRecord[]): string[] {
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
  if (status !== order_status) faults.push(`an order is ${order_status}, and its last event says ${status}`);
  return faults;
}
