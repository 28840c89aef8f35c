/** A calendar date as YYYY-MM-DD from any form senders use (with time, zone, or no dashes); null if invalid. */
export function calendarDate(text: string): string | null {
  const match = DATE.exec(text) ?? COMPACT.exec(text);
  if (match === null) return null;
  const [year, month, day] = match.slice(1, 4) as [string, string, string];
  return isReal(Number(year), Number(month), Number(day)) ? `${year}-${month}-${day}` : null;
}

/** A time as ISO 8601 UTC with milliseconds. The standard uses UTC, so a time without zone is UTC. */
export function instant(text: string): string | null {
  const spread = text.replace(COMPACT_TIME, "$1-$2-$3T$4:$5:$6");
  const match = TIME.exec(spread);
  if (match === null) return null;
  const [, date, time, fraction = "", zone = "Z"] = match as unknown as [string, string, string, string?, string?];
  if (calendarDate(date) === null) return null;
  const at = Date.parse(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** Takes the date as written, ignoring its time and zone. */
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ][\d:.]*)?(?:Z|[+-]\d{2}:?\d{2})?$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?$/;
const COMPACT_TIME = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?$/;

function isReal(year: number, month: number, day: number): boolean {
  if (year < 1850 || year > 2199 || month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
