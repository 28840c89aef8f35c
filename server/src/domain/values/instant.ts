import { isDate, startOfDay } from "./calendar.ts";

const TIME = /^(\d{4}-\d{2}-\d{2})(T([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A time with its zone; a date is its first instant where the pharmacy is. Null for what is neither. */
export function readInstant(text: string, zone: string): Date | null {
  const date = TIME.exec(text)?.[1];
  if (date === undefined || !isDate(date) || Number.isNaN(Date.parse(text))) return null;
  return isDate(text) ? startOfDay(zone, text) : new Date(text);
}
