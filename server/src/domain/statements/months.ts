import { SETTLE_DAYS } from "@pestle/contract";
import { addMonths, dateIn, startOfDay } from "../values/calendar.ts";

/** Up to where an account's months are closed. */
export type ClosedUntil = { closed_until: Date; closed_month: string | null };
/** A month and the instants that it covers: from the first, up to and without the second. */
export type Month = { month: string; from: Date; to: Date };

const DAY_MS = 24 * 3600 * 1000;

const nextMonth = (month: string): string => addMonths(`${month}-01`, 1).slice(0, 7);

/**
 * The open month of an instant, in the pharmacy's time zone. It begins where the closed months end, also if TIME_ZONE has
 * changed since: no instant belongs to two months or to none.
 */
export function openMonth(zone: string, { closed_until, closed_month }: ClosedUntil, at: Date): Month {
  const calendar = dateIn(zone, at).slice(0, 7);
  const month = closed_month !== null && calendar <= closed_month ? nextMonth(closed_month) : calendar;
  return boundsOf(zone, { closed_until, closed_month }, month);
}

/** The bounds of a month that is not closed. */
export function boundsOf(zone: string, { closed_until, closed_month }: ClosedUntil, month: string): Month {
  const starts = startOfDay(zone, `${month}-01`);
  const follows = closed_month !== null && month === nextMonth(closed_month);
  const from = follows || starts < closed_until ? closed_until : starts;
  return { month, from, to: startOfDay(zone, `${nextMonth(month)}-01`) };
}

/** The open months from one instant to another, newest first. */
export function openMonths(zone: string, closed: ClosedUntil, first: Date, last: Date): Month[] {
  const newest = openMonth(zone, closed, last).month;
  const months: Month[] = [];
  for (let { month } = openMonth(zone, closed, first); month <= newest; month = nextMonth(month)) {
    months.unshift(boundsOf(zone, closed, month));
  }
  return months;
}

export const closesAt = ({ to }: Pick<Month, "to">): Date => new Date(to.getTime() + SETTLE_DAYS * DAY_MS);
