import { isDate } from "../../domain/values/calendar.ts";
import { one, text } from "./elements.ts";

/**
 * The calendar date of a FHIR date or time, in the time's own zone. Null for a bare year or month.
 */
export function calendarDate(value: unknown): string | null {
  const written = text(value);
  const date = written === null ? null : /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:.{0,40})?$/.exec(written)?.[1];
  return date && isReal(date) ? date : null;
}

/** A FHIR instant as ISO 8601 UTC with milliseconds. Null without a zone. */
export function instant(value: unknown): string | null {
  const written = text(value);
  if (written === null || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/.test(written))
    return null;
  const time = new Date(written.replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** Whether a period had ended when the message was sent. If that day is unknown, any period with an end is over. */
export function isOver(period: unknown, sent_on: string | null): boolean {
  const end = text(one(period).end);
  if (end === null) return false;
  return sent_on === null || end.slice(0, sent_on.length) < sent_on.slice(0, end.length);
}

/** Rejects years no birth date or validity period can have. */
function isReal(date: string): boolean {
  return isDate(date) && date >= "1850" && date < "2200";
}
