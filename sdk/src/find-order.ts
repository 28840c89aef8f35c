import type { Order } from "@pestle/contract";
import type { CallOptions, WriteOptions } from "./client.ts";
import { Conflict } from "./errors.ts";
import type { Orders } from "./orders.ts";
import { type Travel, waitBefore, withDeadline } from "./transport.ts";

/** What an order must be like to be the one that a request asked for. */
type Wanted = {
  patient_id: string;
  reference?: string | null;
  items: readonly { prescription_id?: number | null; sku?: string | null }[];
  other_than?: string;
};
/** How to look and for how long. */
export type Look = { travel: Travel; deadline_ms: number };
type Reads = Pick<Orders, "get" | "list">;

/** The server's clock and ours need not agree. */
const SKEW_MS = 60_000;

/**
 * Places an order by `post` and, when that is a conflict, looks for the order before anything else (spec, Conventions
 * 5). A 409 that names an order is about a request of somebody else with the same body: the caller is told, with that
 * order. A 409 without a name says that this very request, by its Idempotency-Key, is being worked on: an earlier
 * attempt of it, or a copy that the network made. Then its order is on the way, and is the answer as soon as it is
 * there. Nothing is sent a second time in either case.
 */
export async function lookUpAfter(
  post: (options: WriteOptions) => Promise<Order>,
  wantedOf: (options: CallOptions) => Promise<Wanted>,
  { travel, deadline_ms, get, list }: Look & Reads,
  { signal, ...options }: WriteOptions = {},
): Promise<Order> {
  const since_ms = travel.now().getTime() - SKEW_MS;
  return withDeadline(travel.now, options.deadline_ms ?? deadline_ms, signal, async (deadline) => {
    const within = () => ({ signal: deadline.signal, deadline_ms: deadline.at_ms - travel.now().getTime() });
    try {
      return await post({ ...options, ...within() });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const { order_number } = error;
      if (order_number !== undefined) {
        const order = await get(order_number, within()).catch(() => undefined);
        throw new Conflict(error.message, { ...error, order });
      }
      // Whatever keeps the look from its end, the caller has to know of the conflict and not of that.
      const found = await watch().catch(() => undefined);
      if (found === undefined) throw error;
      return found;
    }

    async function watch(): Promise<Order | undefined> {
      const wanted = await wantedOf(within());
      for (let look = 0; look <= travel.retries; look++) {
        const order = await findOrder(wanted, list, within(), since_ms);
        if (order !== undefined) return order;
        await travel.sleep(waitBefore(look, undefined, travel.random()), deadline.signal);
      }
      return undefined;
    }
  });
}

/** The newest order of that patient with the same reference and items; `since_ms` leaves out those made before. */
export async function findOrder(
  { patient_id, reference, items, other_than }: Wanted,
  list: Orders["list"],
  options?: CallOptions,
  since_ms = Number.NEGATIVE_INFINITY,
): Promise<Order | undefined> {
  const filter = { patient_id, ...(reference != null && { reference }) };
  for await (const order of list(filter, options)) {
    if (Date.parse(order.created_at) < since_ms) return undefined;
    const same = order.reference === (reference ?? null) && order.order_number !== other_than;
    if (same && sameItems(items, order.items)) return order;
  }
  return undefined;
}

/** By what the request says of each; what it leaves open, the pharmacy filled in. */
const sameItems = (wanted: Wanted["items"], made: Order["items"]): boolean =>
  wanted.length === made.length &&
  wanted.every(({ prescription_id, sku }, index) => {
    const item = made[index]!;
    return (prescription_id ?? item.prescription_id) === item.prescription_id && (sku ?? item.sku) === item.sku;
  });
