import { MOST_REPORT_DAYS } from "@pestle/contract";
import { addDays, isDate } from "../values/calendar.ts";

/** Why these are not the days of a report; null if they are. */
export function periodProblem(from: string, to: string): string | null {
  if (!isDate(from) || !isDate(to)) return "Give the first and the last day as YYYY-MM-DD.";
  if (from > to) return "The first day is after the last. Swap them.";
  if (to > addDays(from, MOST_REPORT_DAYS - 1)) return `Choose at most ${MOST_REPORT_DAYS} days.`;
  return null;
}
