/** Calendar dates (`YYYY-MM-DD`) and the instants at which they begin somewhere. No clock: `now` is always given. */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_MS = 24 * 3600 * 1000;
/** No zone ever changed its clocks by less. */
const SMALLEST_SHIFT_MS = 15 * 60 * 1000;

/** A day that exists: 2026-02-30 is none. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const instant = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return Number(year) >= 1000 && instant.toISOString().slice(0, 10) === text;
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The same day so many months later, or the month's last day where it has no such day. */
export function addMonths(date: string, months: number): string {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0));
  const at = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(day, last.getUTCDate())));
  return at.toISOString().slice(0, 10);
}

/** Which day it is in that zone. */
export function dateIn(zone: string, instant: Date): string {
  // Zones differ by whole seconds, so all of a second is on one day.
  const second = Math.floor(instant.getTime() / 1000);
  return remembered(dates, `${zone} ${second}`, () => {
    const { year, month, day } = clockIn(zone, instant);
    return `${year}-${month}-${day}`;
  });
}

/** What the clock shows there: 17:05:09. */
export function timeIn(zone: string, instant: Date): string {
  const { hour, minute, second } = clockIn(zone, instant);
  return `${hour}:${minute}:${second}`;
}

/** The first instant of a day in that zone; where the clocks skip midnight, the first one there is. */
export const startOfDay = (zone: string, date: string): Date =>
  new Date(remembered(starts, `${zone} ${date}`, () => findStart(zone, date).getTime()));

function findStart(zone: string, date: string): Date {
  const midnight_ms = Date.parse(`${date}T00:00:00Z`);
  // The offset at the guess may be the one before a change of clocks, so the guess is made twice.
  let instant_ms = midnight_ms;
  for (let round = 0; round < 2; round++) instant_ms = midnight_ms - offsetMs(zone, new Date(instant_ms));
  // Midnight was skipped: the guess lies in the evening before, by as much as was skipped.
  while (dateIn(zone, new Date(instant_ms)) < date) instant_ms += SMALLEST_SHIFT_MS;
  return new Date(instant_ms);
}

function offsetMs(zone: string, instant: Date): number {
  const { year, month, day, hour, minute, second } = clockIn(zone, instant);
  return (
    Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) - Math.floor(instant.getTime() / 1000) * 1000
  );
}

type Clock = Record<"year" | "month" | "day" | "hour" | "minute" | "second", string>;

// What is asked for again and again is the day that it is, and the days on which prescriptions were written.
const dates = new Map<string, string>();
const starts = new Map<string, number>();
const MOST_REMEMBERED = 1_000;

/** The same for the same key, found out once: asking for the clock of a zone costs more than most decisions. */
function remembered<Value>(found: Map<string, Value>, key: string, find: () => Value): Value {
  const known = found.get(key);
  if (known !== undefined) return known;
  if (found.size >= MOST_REMEMBERED) found.clear();
  const value = find();
  found.set(key, value);
  return value;
}

// Making a formatter costs a hundred times what using it does.
const formatters = new Map<string, Intl.DateTimeFormat>();

function clockIn(zone: string, instant: Date): Clock {
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formatters.set(zone, formatter);
  }
  const clock = Object.fromEntries(formatter.formatToParts(instant).map(({ type, value }) => [type, value])) as Clock;
  // West of Greenwich the year 1000 begins in 999, which is written with three digits there and is no date then.
  return { ...clock, year: clock.year.padStart(4, "0") };
}

const TIME = /^(\d{4}-\d{2}-\d{2})(T([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A time with its zone; a date is its first instant where the pharmacy is. Null for what is neither. */
export function readInstant(text: string, zone: string): Date | null {
  const date = TIME.exec(text)?.[1];
  if (date === undefined || !isDate(date) || Number.isNaN(Date.parse(text))) return null;
  return isDate(text) ? startOfDay(zone, text) : new Date(text);
}
