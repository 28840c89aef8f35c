import {
  type DashboardFigures,
  type Environment,
  environments,
  exceptionRow,
  type HeldReason,
  queueKeys,
  queues,
  STOCK_DAYS,
} from "@pestle/contract";
import { countExceptions } from "../../../db/fulfillment/queue.ts";
import {
  countReceived,
  countShipped,
  countWaiting,
  type HourCount,
  type LowStockRow,
  listLowStock,
} from "../../../db/operations/figures.ts";
import type { Deps } from "../../../deps.ts";
import {
  figureHours,
  lateForecast,
  orderFlow,
  type QueueWaits,
  queueAgeing,
  waitBounds,
} from "../../../domain/operations/home-figures.ts";
import { firstPositionAt } from "../../../domain/orders/order-answer.ts";
import { placeOf, readTargets } from "../read-home.ts";

export type FiguresOf = (environment: Environment | null) => DashboardFigures;
type ReadingDeps = Pick<Deps, "db" | "config" | "now">;

const DAY_MS = 24 * 3600 * 1000;
/** More than a pharmacy ships in these days for one partner. Beyond it, only the newest count. */
const MOST_ITEMS = 50_000;
const MOST_LOW = 40;

/** Reads once for all viewers, like the queues; each viewer then filters by environment. */
export async function readFigures(deps: ReadingDeps): Promise<FiguresOf> {
  const now = deps.now();
  const hours = figureHours(deps.config.TIME_ZONE, now);
  const times = [...hours.hours.map(({ from }) => from), hours.until];
  const targets = await readTargets(deps.db);
  const asked = queueKeys.flatMap((key) => {
    const target_minutes = targets[key];
    return target_minutes === null || "today" in queues[key]
      ? []
      : [{ key, target_minutes, bounds: waitBounds(target_minutes, now, hours) }];
  });
  const [received, shipped, waiting, held, low] = await Promise.all([
    countReceived(deps.db, times.map(firstPositionAt), firstPositionAt(new Date(1_000))),
    countShipped(deps.db, times, MOST_ITEMS),
    Promise.all(asked.map(({ key, bounds }) => countWaiting(deps.db, placeOf(key), bounds))),
    Promise.all(environments.map((environment) => countExceptions(deps.db, environment, null))),
    listLowStock(deps.db, new Date(now.getTime() - STOCK_DAYS * DAY_MS), MOST_ITEMS, MOST_LOW),
  ]);
  return (environment) => {
    const isMeant = (row: { environment: Environment }) => environment === null || row.environment === environment;
    const byHour = (rows: readonly HourCount[]) => {
      const counts = hours.hours.map(() => 0);
      for (const { hour, count } of rows.filter(isMeant)) counts[hour - 1] = (counts[hour - 1] ?? 0) + count;
      return counts.slice(0, hours.hours.length);
    };
    const waits = asked.map((queue, at): QueueWaits => {
      const counts = Array.from({ length: queue.bounds.length + 1 }, () => 0);
      for (const { place, count } of waiting[at]!.filter(isMeant)) counts[place]! += count;
      return { ...queue, counts };
    });
    const shipped_by_hour = byHour(shipped);
    return {
      time_zone: deps.config.TIME_ZONE,
      ...orderFlow(hours, now, byHour(received), shipped_by_hour),
      ageing: waits.map((queue) => queueAgeing(queue, now)),
      forecast: lateForecast(
        waits.filter(({ key }) => queues[key].stage !== null),
        now,
        hours,
        shipped_by_hour,
      ),
      exceptions: reasonsOf(held.flatMap((rows, at) => (isMeant({ environment: environments[at]! }) ? rows : []))),
      stock: low.filter(isMeant).map(lastingOf),
    };
  };
}

function reasonsOf(rows: readonly Pick<HeldReason, "exception_id" | "count">[]): HeldReason[] {
  const ids = [...new Set(rows.map(({ exception_id }) => exception_id))];
  return ids
    .map((exception_id) => ({
      exception_id,
      name: exceptionRow(exception_id).name,
      count: rows.reduce((sum, row) => sum + (row.exception_id === exception_id ? row.count : 0), 0),
    }))
    .sort((a, b) => b.count - a.count || a.exception_id - b.exception_id);
}

const lastingOf = ({ environment: _, ...row }: LowStockRow) => ({
  ...row,
  days_left: row.shipped_units === 0 ? 0 : Math.floor((row.available_units / row.shipped_units) * STOCK_DAYS),
});
