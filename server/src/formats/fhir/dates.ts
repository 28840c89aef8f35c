import { isDate } from "../../domain/values/calendar.ts";
import { one, text } from "./elements.ts";

/**
 * The calendar date of a FHIR date or time, as its writer saw it: a time's date is taken in its own zone. A year or a
 * month alone is no date.
 */
export function calendarDate(value: unknown): string | null {
  const written = text(value);
  const date = written === null ? null : /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:.{0,40})?$/.exec(written)?.[1];
  return date && isReal(date) ? date : null;
}

/** ISO 8601 UTC with milliseconds, of a FHIR instant; without a zone it is no instant. */
export function instant(value: unknown): string | null {
  const written = text(value);
  if (written === null || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/.test(written))
    return null;
  const time = new Date(written.replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** Whether a period was over when the message was sent. Where that day is not known, whatever has an end is over. */
export function isOver(period: unknown, sent_on: string | null): boolean {
  const end = text(one(period).end);
  if (end === null) return false;
  return sent_on === null || end.slice(0, sent_on.length) < sent_on.slice(0, end.length);
}

/** Nobody who is prescribed anything was born earlier, and nothing is valid for longer. */
function isReal(date: string): boolean {
  return isDate(date) && date >= "1850" && date < "2200";
}
