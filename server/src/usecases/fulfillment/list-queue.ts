import {
  type DashboardExceptions,
  type DashboardOrderRow,
  type DashboardOrders,
  type Environment,
  exceptionRow,
  type OrderStatus,
  orderActionsOf,
  orderStatuses,
  type QueueKey,
  queueKeys,
  queues,
  stages,
} from "@pestle/contract";
import {
  countExceptions,
  listQueue as listRows,
  MOST_QUEUE_ROWS,
  type QueueFilter,
  type QueuePlace,
  type QueueRow,
} from "../../db/fulfillment/queue.ts";
import type { Deps } from "../../deps.ts";
import { initials } from "../../domain/patients/masked-patient.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { placeOf, readTargets, type Targets } from "../operations/read-home.ts";
import { openReference } from "../orders/read-orders.ts";
import { openRecord } from "../patients/patient-rows.ts";

const MINUTE_MS = 60_000;
const SHOWN_PER_EXCEPTION = 5;

/** Each value of `orders.queue` belongs to one queue. */
const keyOfPlace = new Map<string, QueueKey>(queueKeys.map((key) => [placeOf(key), key]));
export const openPlaces: readonly string[] = queueKeys
  .filter((key) => queues[key].order_status !== "Shipped")
  .map(placeOf);

/** The values of `orders.queue` of a status. */
export const placesOfStatus = (status: OrderStatus): readonly string[] =>
  (stages as Partial<Record<OrderStatus, readonly string[]>>)[status] ?? [status.toLowerCase().replaceAll(" ", "_")];
export const everyPlace: readonly string[] = orderStatuses.flatMap(placesOfStatus);

export const anyOrder: QueueFilter = {
  queues: openPlaces,
  sort: "oldest",
  partner_id: null,
  account_id: null,
  environment: null,
  brand_id: null,
  exception_id: null,
  needs_pharmacy: null,
  schedule: null,
  state: null,
  stood_before: null,
  stood_since: null,
  mine: null,
  others: null,
  free: null,
  partner_wrote_days: null,
  question_open: null,
  printed: null,
};

/** A page of orders from all accounts, and the position of the next page. */
export async function listQueue(
  deps: Deps,
  filter: QueueFilter,
  after: QueuePlace | null,
  limit: number,
): Promise<Omit<DashboardOrders, "next"> & { next: QueuePlace | null }> {
  const now = deps.now();
  const targets = await readTargets(deps.db);
  // One extra row shows whether there is a next page.
  const rows = await listRows(deps.db, filter, after, limit + 1, now);
  const shown = rows.slice(0, limit);
  return {
    orders: await withKeysOfNow(deps, async () => shown.map((row) => shownRow(deps, row, targets, now))),
    next: rows.length > limit ? shown.at(-1)! : null,
  };
}

/** All orders, page by page, for a file that is streamed while it is written. */
export async function* walkQueue(deps: Deps, filter: QueueFilter): AsyncGenerator<DashboardOrderRow[]> {
  let after: QueuePlace | null = null;
  do {
    const page: Awaited<ReturnType<typeof listQueue>> = await listQueue(deps, filter, after, MOST_QUEUE_ROWS);
    yield page.orders;
    after = page.next;
  } while (after !== null);
}

/** Held orders grouped by exception, with the first few of each group. */
export async function listHeld(
  deps: Deps,
  environment: Environment | null,
  account_id: string | null,
): Promise<DashboardExceptions> {
  const held: QueueFilter = { ...anyOrder, queues: [placeOf("on_hold")], environment, account_id };
  const counts = await countExceptions(deps.db, environment, account_id);
  const groups = await Promise.all(
    counts.map(async ({ exception_id, count, oldest_at }) => {
      const { name, message, who_acts, overridden_by, resolves_itself = null } = exceptionRow(exception_id);
      const { orders } = await listQueue(deps, { ...held, exception_id }, null, SHOWN_PER_EXCEPTION);
      const actions = orderActionsOf(exception_id);
      return {
        ...{ exception_id, name, message, who_acts, overridden_by, resolves_itself, actions, count, orders },
        oldest_at: oldest_at.toISOString(),
      };
    }),
  );
  return { groups };
}

function shownRow(deps: Deps, row: QueueRow, targets: Targets, now: Date): DashboardOrderRow {
  const { record_sealed, reference_sealed: _, patient_key, drug_schedule, queue, ...rest } = row;
  return {
    ...rest,
    reference: openReference(deps, row),
    patient_initials: initials(openRecord(deps, row.account_id, patient_key, record_sealed)),
    schedule: drug_schedule,
    created_at: row.created_at.toISOString(),
    stage_since: row.stage_since.toISOString(),
    late: isLate(queue, row.stage_since, targets, now),
    claimed_until: row.claimed_until?.toISOString() ?? null,
    printed_at: row.printed_at?.toISOString() ?? null,
  };
}

/** Whether the order has been in the queue for longer than the queue's target. */
export function isLate(place: string, stage_since: Date, targets: Targets, now: Date): boolean {
  const key = keyOfPlace.get(place);
  const target = key === undefined ? null : targets[key];
  return target !== null && stage_since.getTime() < now.getTime() - target * MINUTE_MS;
}
