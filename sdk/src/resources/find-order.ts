import type { CallOptions, WriteOptions } from "../client.ts";
import { Conflict } from "../errors.ts";
import type { Order } from "../generated/records.ts";
import { type Travel, waitBefore, withDeadline } from "../transport.ts";
import type { Orders } from "./orders.ts";

/** The fields that identify the order a request created. */
type Wanted = {
  patient_id: string | undefined;
  reference?: string | null;
  items: readonly { prescription_id?: number | null; sku?: string | null }[];
  other_than?: string;
};
/** How to look up an order, and for how long. */
export type Look = { travel: Travel; deadline_ms: number };
type Reads = Pick<Orders, "get" | "list">;

/** Tolerance for the difference between the server's clock and ours. */
const SKEW_MS = 60_000;

/**
 * Creates an order with `post` and, after a conflict, looks up the order first (spec, Conventions 5). A 409 that names an
 * order is about another request with the same body: throws `Conflict` with that order. A 409 without an order number
 * means that the service is still processing this request, identified by its Idempotency-Key: an earlier attempt, or a
 * duplicate from the network. Then waits for its order and returns it. Never resends in either case.
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
      // If the lookup fails, throw the conflict rather than the lookup's error.
      const found = await watch().catch(() => undefined);
      if (found === undefined) throw error;
      return found;
    }

    async function watch(): Promise<Order | undefined> {
      const wanted = await wantedOf(within());
      if (wanted.patient_id === undefined) return undefined;
      for (let look = 0; look <= travel.retries; look++) {
        const order = await findOrder(wanted, list, within(), since_ms);
        if (order !== undefined) return order;
        const wait_ms = waitBefore(look, undefined, travel.random());
        if (travel.now().getTime() + wait_ms >= deadline.at_ms) return undefined;
        await travel.sleep(wait_ms, deadline.signal);
      }
      return undefined;
    }
  });
}

/** The patient's newest order with the same reference and items, created at or after `since_ms`. */
export async function findOrder(
  { patient_id, reference, items, other_than }: Wanted,
  list: Orders["list"],
  options?: CallOptions,
  since_ms = Number.NEGATIVE_INFINITY,
): Promise<Order | undefined> {
  const filter = { ...(patient_id !== undefined && { patient_id }), ...(reference != null && { reference }) };
  for await (const order of list(filter, options)) {
    if (Date.parse(order.created_at) < since_ms) return undefined;
    const same = order.reference === (reference ?? null) && order.order_number !== other_than;
    if (same && sameItems(items, order.items)) return order;
  }
  return undefined;
}

/** Compares only the fields that the request gives; the pharmacy fills in the others. */
const sameItems = (wanted: Wanted["items"], made: Order["items"]): boolean =>
  wanted.length === made.length &&
  wanted.every(({ prescription_id, sku }, index) => {
    const item = made[index]!;
    return (prescription_id ?? item.prescription_id) === item.prescription_id && (sku ?? item.sku) === item.sku;
  });
