import { type ReactNode, useEffect, useState } from "react";
import { countdownText } from "./countdown-text.ts";
import { locale } from "./words/language.ts";

const MINUTE_MS = 60_000;
const day = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
const dayOfYear = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric" });
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long" });

/** A timestamp, as time only if it is today. The tooltip shows it in full. */
export function When({ at, seconds = false }: { at: string; seconds?: boolean }) {
  const moment = new Date(at);
  const now = new Date();
  const time = seconds ? moment.toLocaleTimeString(locale) : clock.format(moment);
  const text =
    moment.toDateString() === now.toDateString()
      ? time
      : `${(moment.getFullYear() === now.getFullYear() ? day : dayOfYear).format(moment)}, ${time}`;
  return (
    <time dateTime={at} title={exact.format(moment)}>
      {text}
    </time>
  );
}

/** Time elapsed since a timestamp, by a clock that may be ahead, as in the sandbox. Updates itself. */
export function Age({ since, ahead_s = 0 }: { since: string; ahead_s?: number }) {
  const now_ms = useNow();
  return (
    <time dateTime={since} title={exact.format(new Date(since))}>
      {ageText(now_ms + ahead_s * 1000 - Date.parse(since))}
    </time>
  );
}

/** Minutes and seconds until a time, counted down; `none` once it has come. The clock may be ahead, as in the sandbox. */
export function Countdown({
  until,
  ahead_s = 0,
  text,
  none,
}: {
  until: string;
  ahead_s?: number;
  /** The sentence with the time that is left. */
  text: (left: ReactNode) => ReactNode;
  none: string;
}) {
  const [now_ms, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(ticking);
  }, []);
  const left_ms = Date.parse(until) - now_ms - ahead_s * 1000;
  if (left_ms <= 0) return none;
  return text(<time dateTime={until}>{countdownText(left_ms)}</time>);
}

/** Formats as `4 min`, `3 h 20 min`, `2 d 4 h`: at most two units. Their signs are the same in every language here. */
export function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  if (minutes < 1) return "< 1 min";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 || days > 9 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** A calendar date without a time zone: `2027-03-31` is the same day everywhere. */
export function dateText(date: string): string {
  const [year = 0, month = 1, of_month = 1] = date.slice(0, 10).split("-").map(Number);
  return dayOfYear.format(new Date(year, month - 1, of_month));
}

/** The current time, updated every 30 seconds. All components share one timer. */
export function useNow(): number {
  const [now_ms, setNow] = useState(Date.now);
  useEffect(() => {
    const listen = () => setNow(Date.now());
    watchers.add(listen);
    timer ??= setInterval(() => {
      for (const watcher of watchers) watcher();
    }, MINUTE_MS / 2);
    return () => {
      watchers.delete(listen);
      if (watchers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return now_ms;
}

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
