import { locale } from "../ui/words/language.ts";
import { numberText } from "../ui/words/number-text.ts";
/** Number formats for charts and tiles. A dash means no data. */

export const percent = (share: number | null) =>
  share === null ? "–" : `${(share * 100).toLocaleString(undefined, { maximumFractionDigits: 1 })}%`;

export const milliseconds = (value: number | null) => (value === null ? "–" : `${numberText(Math.round(value))} ms`);

const FEW_HOURS = 48;
export const hoursText = (hours: number) => {
  const [value, unit] = hours < FEW_HOURS ? [hours, "h"] : [hours / 24, "days"];
  return `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
};

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
