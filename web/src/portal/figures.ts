import { locale } from "../ui/words/language.ts";
import { numberText } from "../ui/words/number-text.ts";
import { say } from "../ui/words/say.tsx";

/** Number formats for charts and tiles. A dash means no data. */

export const percent = (share: number | null) =>
  share === null ? "–" : `${(share * 100).toLocaleString(locale, { maximumFractionDigits: 1 })}%`;

export const milliseconds = (value: number | null) => (value === null ? "–" : `${numberText(Math.round(value))} ms`);

const FEW_HOURS = 48;
export const hoursText = (hours: number) =>
  hours < FEW_HOURS ? `${roundText(hours)} h` : say("{count} days", { count: roundText(hours / 24) });
const roundText = (value: number) => value.toLocaleString(locale, { maximumFractionDigits: 1 });

/** What a share is a share of. */
export const ofAttempts = (count: number) =>
  count === 1 ? say("of 1 attempt") : say("of {count} attempts", { count: numberText(count) });

export const hourText = new Intl.DateTimeFormat(locale, { weekday: "short", hour: "2-digit", minute: "2-digit" });

export const HOUR_MS = 3_600_000;
type Hour = { hour: string; attempts: number; delivered: number };

/** One row for each of the last `count` hours, so that a chart shows an hour without attempts as a gap. */
export function everyHour(rows: readonly Hour[], now_ms: number, count: number) {
  const last_ms = Math.floor(now_ms / HOUR_MS) * HOUR_MS;
  const by_hour = new Map(rows.map((row) => [Date.parse(row.hour), row]));
  return Array.from({ length: count }, (_, index) => {
    const at_ms = last_ms - (count - 1 - index) * HOUR_MS;
    const { attempts = 0, delivered = 0 } = by_hour.get(at_ms) ?? {};
    return { at_ms, delivered, failed: attempts - delivered };
  });
}
