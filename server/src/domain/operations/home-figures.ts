import {
  type DashboardFigures,
  FIGURE_DAYS,
  type LateForecast,
  type QueueAgeing,
  type QueueKey,
} from "@pestle/contract";
import { addDays, dateIn, startOfDay } from "../values/calendar.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The hours of the last days and all of today. `day` counts from the first of these days. */
export type FigureHours = { hours: readonly { from: Date; day: number }[]; until: Date };
const TODAY = FIGURE_DAYS - 1;

export function figureHours(zone: string, now: Date): FigureHours {
  const today = dateIn(zone, now);
  const starts = Array.from({ length: FIGURE_DAYS + 1 }, (_, day) => startOfDay(zone, addDays(today, day - TODAY)));
  const hours = starts.slice(0, -1).flatMap((start, day) => {
    // 23 or 25 hours if the clocks change.
    const count = Math.ceil((starts[day + 1]!.getTime() - start.getTime()) / HOUR_MS);
    return Array.from({ length: count }, (_, hour) => ({ from: new Date(start.getTime() + hour * HOUR_MS), day }));
  });
  return { hours, until: starts.at(-1)! };
}

/** Orders received and shipped by hour today, and by day. */
export function orderFlow(
  { hours }: FigureHours,
  now: Date,
  received: readonly number[],
  shipped: readonly number[],
): Pick<DashboardFigures, "hours" | "days"> {
  const rows = hours.map(({ from, day }, at) => ({
    from,
    day,
    received: received[at] ?? 0,
    shipped: shipped[at] ?? 0,
  }));
  return {
    hours: rows
      .filter(({ day }) => day === TODAY)
      .map(({ from, ...counts }) => {
        const to_come = from > now;
        return {
          from: from.toISOString(),
          received: to_come ? null : counts.received,
          shipped: to_come ? null : counts.shipped,
        };
      }),
    days: Array.from({ length: FIGURE_DAYS }, (_, day) => {
      const own = rows.filter((row) => row.day === day);
      return {
        from: own[0]!.from.toISOString(),
        received: sum(own.map((row) => row.received)),
        shipped: sum(own.map((row) => row.shipped)),
      };
    }),
  };
}

/** How many orders entered a queue between these times: `counts[0]` before the first, and the last one after them all. */
export type QueueWaits = { key: QueueKey; target_minutes: number; bounds: readonly Date[]; counts: readonly number[] };

/** The times at which an order must have entered a queue to change its color now, or to reach its target in an hour. */
export function waitBounds(target_minutes: number, now: Date, { hours, until }: FigureHours): Date[] {
  const target_ms = target_minutes * MINUTE_MS;
  const ages = [2 * target_ms, target_ms, target_ms / 2].map((age) => now.getTime() - age);
  const due = hoursLeft({ hours, until }, now).map(({ ends }) => ends.getTime() - target_ms);
  return [...new Set([...ages, ...due])].sort((a, b) => a - b).map((time) => new Date(time));
}

export function queueAgeing(waits: QueueWaits, now: Date): QueueAgeing {
  const waiting = (targets: number) => enteredBefore(waits, now.getTime() - targets * waits.target_minutes * MINUTE_MS);
  return {
    key: waits.key,
    target_minutes: waits.target_minutes,
    fresh: sum(waits.counts) - waiting(0.5),
    due_soon: waiting(0.5) - waiting(1),
    late: waiting(1) - waiting(2),
    very_late: waiting(2),
  };
}

/** See `LateForecast`. `shipped` has a count per hour of `hours`. */
export function lateForecast(
  queues: readonly QueueWaits[],
  now: Date,
  hours: FigureHours,
  shipped: readonly number[],
): LateForecast {
  const left = hoursLeft(hours, now);
  const paces = pacesOf(hours, shipped);
  let shipping = 0;
  const forecast = left.map(({ from, ends, hour }) => {
    const begins = Math.max(from.getTime(), now.getTime());
    shipping += ((paces?.[hour] ?? 0) * (ends.getTime() - begins)) / HOUR_MS;
    const before = queues.map((queue) => dueBefore(queue, begins));
    const due = queues.map((queue, at) => dueBefore(queue, ends.getTime()) - before[at]!);
    // The oldest come first, so those that were due earlier take their share.
    const on_time = due.map((count, at) => Math.min(count, Math.max(0, Math.floor(shipping) - before[at]!)));
    return { from: from.toISOString(), on_time: sum(on_time), late: sum(due) - sum(on_time) };
  });
  return {
    pace: paces === null ? null : Math.round(shipping),
    hours: forecast,
    late_now: sum(queues.map((queue) => dueBefore(queue, now.getTime()))),
    late_later: sum(forecast.map(({ late }) => late)),
  };
}

/** From the current hour to midnight, each with its place in the day. */
function hoursLeft({ hours, until }: FigureHours, now: Date) {
  const today = hours.filter(({ day }) => day === TODAY);
  return today
    .map(({ from }, hour) => ({ from, hour, ends: today[hour + 1]?.from ?? until }))
    .filter(({ ends }) => ends > now);
}

/** Orders shipped in each hour of a day, on average of the past days on which any shipped. Null if none did. */
function pacesOf({ hours }: FigureHours, shipped: readonly number[]): number[] | null {
  const days = Array.from({ length: TODAY }, (_, day) => shipped.filter((_count, at) => hours[at]?.day === day));
  const worked = days.filter((counts) => sum(counts) > 0);
  if (worked.length === 0) return null;
  const longest = Math.max(...worked.map((counts) => counts.length));
  return Array.from(
    { length: longest + 1 },
    (_, hour) => sum(worked.map((counts) => counts[hour] ?? 0)) / worked.length,
  );
}

const dueBefore = (waits: QueueWaits, time_ms: number) =>
  enteredBefore(waits, time_ms - waits.target_minutes * MINUTE_MS);

const enteredBefore = ({ bounds, counts }: QueueWaits, time_ms: number) =>
  sum(counts.filter((_, at) => (bounds[at]?.getTime() ?? Number.POSITIVE_INFINITY) <= time_ms));

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
