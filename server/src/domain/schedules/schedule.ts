import {
  EVERY_DAYS,
  type ExceptionId,
  errors,
  exceptionRow,
  type Order,
  type ScheduleAction,
  type ScheduleStatus,
  scheduleActionNames,
  scheduleActions,
} from "@pestle/contract";
import { addDays, startOfDay } from "../values/calendar.ts";

/** Why a fill would be refused, or why a schedule is paused. */
export type Why = { code: number; message: string };

/** What changes in a schedule. Dates are days of the pharmacy. */
export type Schedule = {
  status: ScheduleStatus;
  /** Null after it was canceled. */
  next_fill_on: string | null;
  /** The fill that REFILL_UPCOMING announced. */
  notified_for: string | null;
  next_fill_problems: readonly Why[];
  /** Null if the partner paused it. */
  paused_because: Why | null;
  last_order_number: string | null;
  last_filled_on: string | null;
  /** The day of another actor's order that the next fill follows. */
  followed_on: string | null;
};

/** What a decision about a schedule depends on besides the schedule. */
export type ScheduleFacts = {
  today: string;
  lead_days: number;
  interval_days: number;
  /** The day of the prescription's newest order that was not canceled, also of another actor. */
  last_ordered_on: string | null;
  /** Automatic Processing has not ordered the first fill yet. */
  automatic_due: boolean;
  /** The exception that holds the schedule's last order. */
  last_held_by: ExceptionId | null;
  last_canceled: boolean;
};

/** The days between two fills; null if neither the schedule nor the prescription gives a possible number. */
export function intervalOf(every_days: number | null, days_supply: number | null): number | null {
  const days = every_days ?? days_supply;
  return days !== null && days >= EVERY_DAYS.minimum && days <= EVERY_DAYS.maximum ? days : null;
}

/** A prescription that was ordered before is due one interval later. One that was never ordered is due today. */
export const firstFill = (last_ordered_on: string | null, interval_days: number, today: string): string =>
  last_ordered_on === null ? today : later(addDays(last_ordered_on, interval_days), today);

/** When the job must look at the schedule: first for the notice, then for the fill. Null if never. */
export function dueAt(
  { status, next_fill_on, notified_for }: Schedule,
  { lead_days }: Pick<ScheduleFacts, "lead_days">,
  time_zone: string,
): Date | null {
  if (status !== "active" || next_fill_on === null) return null;
  return startOfDay(time_zone, notified_for === next_fill_on ? next_fill_on : addDays(next_fill_on, -lead_days));
}

/** What a schedule must do now: change, send the notice of a fill, or order it. Null: nothing yet. */
export type DueStep = { changed: Schedule } | { notify: string } | { fill: string } | null;

/**
 * Decides the next step of a schedule. Any other order for the prescription counts as a fill, so that
 * the schedule never repeats it; if it is canceled, the schedule moves back. A hold on the last order pauses the schedule
 * before the next fill. If the last order was canceled, the patient may run out: the schedule pauses at once, and never
 * repeats an order that a person canceled.
 */
export function decideDue(schedule: Schedule, facts: ScheduleFacts): DueStep {
  const { status, next_fill_on, notified_for } = schedule;
  const { today, lead_days, interval_days, last_ordered_on, automatic_due, last_held_by, last_canceled } = facts;
  if (status !== "active" || next_fill_on === null) return null;
  if (last_canceled) return { changed: pausedBy(unfilled(schedule, facts), WAS_CANCELED) };
  if (isFollowedGone(schedule, facts)) return { changed: unfollowed(schedule, facts) };
  if (today < addDays(next_fill_on, -lead_days)) return null;
  const after_last = last_ordered_on === null ? next_fill_on : addDays(last_ordered_on, interval_days);
  if (after_last > next_fill_on) {
    return { changed: { ...onDay(schedule, after_last), followed_on: last_ordered_on } };
  }
  if (last_held_by !== null) return { changed: pausedBy(schedule, heldBy(last_held_by)) };
  if (notified_for !== next_fill_on) return { notify: next_fill_on };
  return today < next_fill_on || automatic_due ? null : { fill: next_fill_on };
}

/** The notice was sent. */
export const notified = (schedule: Schedule, next_fill_problems: readonly Why[]): Schedule => ({
  ...schedule,
  notified_for: schedule.next_fill_on,
  next_fill_problems,
});

/** The order was placed. One that is held pauses the schedule. */
export function filled(
  schedule: Schedule,
  { order_number, exceptions }: Pick<Order, "order_number" | "exceptions">,
  { today, interval_days }: Pick<ScheduleFacts, "today" | "interval_days">,
): Schedule {
  const moved = { ...onDay(schedule, addDays(today, interval_days)), last_order_number: order_number };
  const [held] = exceptions;
  const done: Schedule = { ...moved, last_filled_on: today };
  return held === undefined ? done : pausedBy(done, heldBy(held.id));
}

export const pausedBy = (schedule: Schedule, paused_because: Why): Schedule =>
  schedule.status === "canceled" ? schedule : { ...schedule, status: "paused", paused_because };

const [canceled_message] = errors[42276];
const WAS_CANCELED: Why = { code: 42276, message: canceled_message };

/** The schedule without its last order, which was canceled. */
const unfilled = (schedule: Schedule, { last_ordered_on, interval_days, today }: ScheduleFacts): Schedule => ({
  ...onDay(schedule, firstFill(last_ordered_on, interval_days, today)),
  last_order_number: null,
  last_filled_on: last_ordered_on,
});

/** Whether the order that the next fill follows was canceled. */
const isFollowedGone = ({ followed_on }: Schedule, { last_ordered_on }: ScheduleFacts): boolean =>
  followed_on !== null && (last_ordered_on === null || last_ordered_on < followed_on);

const unfollowed = (schedule: Schedule, { last_ordered_on, interval_days, today }: ScheduleFacts): Schedule => ({
  ...onDay(schedule, firstFill(last_ordered_on, interval_days, today)),
  followed_on: last_ordered_on,
});

const heldBy = (id: ExceptionId): Why => ({ code: id, message: exceptionRow(id).message });

/** What an action of the partner makes of the schedule; null if its status does not allow it. `fill_now` needs an order. */
export function acted(
  schedule: Schedule,
  action: Exclude<ScheduleAction, "fill_now">,
  facts: ScheduleFacts,
): Schedule | null {
  if (!isPossible(schedule, action)) return null;
  const { today, interval_days, last_canceled } = facts;
  const { next_fill_on } = schedule;
  switch (action) {
    case "skip":
      return onDay(schedule, addDays(later(next_fill_on!, today), interval_days));
    case "pause":
      return { ...schedule, status: "paused", paused_because: null };
    case "resume": {
      const from = last_canceled
        ? unfilled(schedule, facts)
        : isFollowedGone(schedule, facts)
          ? unfollowed(schedule, facts)
          : schedule;
      return { ...onDay(from, later(from.next_fill_on!, today)), status: "active", paused_because: null };
    }
    case "cancel":
      return { ...onDay(schedule, null), status: "canceled", paused_because: null };
  }
}

export const isPossible = ({ status }: Pick<Schedule, "status">, action: ScheduleAction): boolean =>
  (scheduleActions[action].from as readonly ScheduleStatus[]).includes(status);

/** What the partner can do with the schedule now. */
export const possibleActions = (schedule: Pick<Schedule, "status">): ScheduleAction[] =>
  scheduleActionNames.filter((action) => isPossible(schedule, action));

/** Another day needs another notice. */
const onDay = (schedule: Schedule, next_fill_on: string | null): Schedule => ({
  ...schedule,
  next_fill_on,
  followed_on: null,
  notified_for: null,
  next_fill_problems: [],
});

const later = (a: string, b: string) => (a > b ? a : b);
