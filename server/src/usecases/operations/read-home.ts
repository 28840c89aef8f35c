import { type DashboardHome, type Environment, type QueueKey, queueKeys, queues } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { countUnread } from "../../db/fulfillment/notifications.ts";
import {
  type CountedQueue,
  countQueues,
  countReviews,
  listTargets,
  type QueueCount,
  saveTargets,
} from "../../db/operations/home.ts";
import type { Deps } from "../../deps.ts";
import { dateIn, startOfDay } from "../../domain/values/calendar.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { transact } from "../write.ts";
import { type Looker, writeAudit } from "./write-audit.ts";

type ReadingDeps = Pick<Deps, "db" | "config" | "now">;
export type HomeOf = (environment: Environment | null, person_id: string) => DashboardHome;
export type Targets = Record<QueueKey, number | null>;

const MINUTE_MS = 60_000;
const LONGEST_TARGET_MINUTES = 60 * 24 * 90;

/** The queue's value in `orders.queue`: the stage, or the status in lower case. */
export const placeOf = (key: QueueKey): string =>
  queues[key].stage ?? queues[key].order_status.toLowerCase().replaceAll(" ", "_");

/** Midnight in the pharmacy's time zone. */
export const startOfToday = ({ config, now }: Pick<Deps, "config" | "now">): Date =>
  startOfDay(config.TIME_ZONE, dateIn(config.TIME_ZONE, now()));

/** Reads once for all viewers; each viewer then filters by environment and person. */
export async function readHome(deps: ReadingDeps): Promise<HomeOf> {
  const targets = await readTargets(deps.db);
  const now_ms = deps.now().getTime();
  const asked = queueKeys.map((key): CountedQueue => {
    const target = targets[key];
    return {
      key,
      queue: placeOf(key),
      since: "today" in queues[key] ? startOfToday(deps) : null,
      late_before: target === null ? null : new Date(now_ms - target * MINUTE_MS),
    };
  });
  const [counts, reviews, unread] = await Promise.all([
    countQueues(deps.db, asked),
    countReviews(deps.db),
    countUnread(deps.db),
  ]);
  return (environment, person_id) => {
    const isMeant = (row: { environment: Environment }) => environment === null || row.environment === environment;
    return {
      queues: queueKeys.map((key) => ({
        key,
        ...tile(counts.filter((row) => row.key === key && isMeant(row))),
        target_minutes: targets[key],
      })),
      reviews: sum(reviews.filter(isMeant).map(({ count }) => count)),
      unread: unread.find((row) => row.person_id === person_id)?.count ?? 0,
    };
  };
}

function tile(rows: readonly QueueCount[]) {
  const times = rows.flatMap(({ oldest_at }) => oldest_at ?? []).sort((a, b) => a.getTime() - b.getTime());
  return {
    count: sum(rows.map(({ count }) => count)),
    oldest_at: times[0]?.toISOString() ?? null,
    late: sum(rows.map(({ late }) => late)),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** The longest time for orders in each queue: the pharmacy's setting, or the default. */
export async function readTargets(db: Queryable): Promise<Targets> {
  const own = new Map((await listTargets(db)).map(({ queue, target_minutes }) => [queue, target_minutes]));
  const of = (key: QueueKey) => own.get(key) ?? (own.has(key) ? null : queues[key].target_minutes);
  return Object.fromEntries(queueKeys.map((key) => [key, of(key)])) as Targets;
}

/** Sets the given targets and keeps the others. */
export async function setTargets(
  deps: Deps,
  by: Looker,
  given: Partial<Targets>,
  request_id: string,
): Promise<Targets> {
  const rows = (Object.keys(given) as QueueKey[]).map((queue) => ({ queue, target_minutes: given[queue] ?? null }));
  for (const { queue, target_minutes } of rows) {
    if (queues[queue].target_minutes === null) throw new AdminRefusal(`The queue ${queues[queue].name} has no target.`);
    const fits =
      target_minutes === null ||
      (Number.isInteger(target_minutes) && target_minutes > 0 && target_minutes <= LONGEST_TARGET_MINUTES);
    if (!fits) throw new AdminRefusal("A target must be a whole number of minutes, up to 90 days.");
  }
  await transact(deps, async (tx) => {
    await saveTargets(tx, rows, by.person_id, deps.now());
    await writeAudit({ ...deps, db: tx }, by, { account_id: null, action: "targets_set", subject: null }, request_id);
  });
  return readTargets(deps.db);
}
