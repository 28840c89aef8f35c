import { BoundedMap } from "./bounded-map.ts";

/** Calendar dates (`YYYY-MM-DD`) and the instants at which they begin in a time zone. No clock: callers pass `now`. */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_MS = 24 * 3600 * 1000;
/** No time zone ever changed its clocks by less. */
const SMALLEST_SHIFT_MS = 15 * 60 * 1000;

/** A date that exists: 2026-02-30 does not. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const instant = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return Number(year) >= 1000 && instant.toISOString().slice(0, 10) === text;
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The same day this many months later, or the last day of a shorter month. */
export function addMonths(date: string, months: number): string {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0));
  const at = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(day, last.getUTCDate())));
  return at.toISOString().slice(0, 10);
}

/** The date in that time zone. */
export function dateIn(zone: string, instant: Date): string {
  // Offsets are whole seconds, so a whole second is on one day.
  const second = Math.floor(instant.getTime() / 1000);
  return remembered(dates, `${zone} ${second}`, () => {
    const { year, month, day } = clockIn(zone, instant);
    return `${year}-${month}-${day}`;
  });
}

/** The local time: 17:05:09. */
export function timeIn(zone: string, instant: Date): string {
  const { hour, minute, second } = clockIn(zone, instant);
  return `${hour}:${minute}:${second}`;
}

/** The first instant of a day in that time zone, also where a clock change skips midnight. */
export const startOfDay = (zone: string, date: string): Date =>
  new Date(remembered(starts, `${zone} ${date}`, () => findStart(zone, date).getTime()));

function findStart(zone: string, date: string): Date {
  const midnight_ms = Date.parse(`${date}T00:00:00Z`);
  // The offset at the first guess can be the one before a clock change, so it guesses twice.
  let instant_ms = midnight_ms;
  for (let round = 0; round < 2; round++) instant_ms = midnight_ms - offsetMs(zone, new Date(instant_ms));
  // Midnight was skipped: the guess is in the previous evening.
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

// The repeated lookups are the current day and the days on which prescriptions were written.
const FEW_DAYS = { entries: 1_000, bytes: 512 * 1024, bytesOf: () => 32 };
const dates = new BoundedMap<string>(FEW_DAYS);
const starts = new BoundedMap<number>(FEW_DAYS);

/** Caches by key: a time zone lookup costs more than most decisions. */
function remembered<Value>(found: BoundedMap<Value>, key: string, find: () => Value): Value {
  const known = found.get(key);
  if (known !== undefined) return known;
  const value = find();
  found.set(key, value);
  return value;
}

// Creating a formatter costs a hundred times as much as using it.
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
  // West of Greenwich the year 1000 begins in 999, which is formatted with three digits and would not be a valid date.
  return { ...clock, year: clock.year.padStart(4, "0") };
}

const TIME = /^(\d{4}-\d{2}-\d{2})(T([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Parses a time with its zone. A date means its first instant in the pharmacy's time zone. Null for anything else. */
export function readInstant(text: string, zone: string): Date | null {
  const date = TIME.exec(text)?.[1];
  if (date === undefined || !isDate(date) || Number.isNaN(Date.parse(text))) return null;
  return isDate(text) ? startOfDay(zone, text) : new Date(text);
}
