import { RETRY_AFTER_MAX_S, RETRY_DELAYS_S, RETRY_JITTER_SHARE } from "@pestle/contract";

/**
 * When to retry a delivery after this many attempts in this round, or null: it has failed. `chance`, from 0 to 1,
 * varies the delay, so that deliveries that failed together do not retry together.
 */
export function nextAttemptAt(given: {
  tried: number;
  now: Date;
  chance: number;
  /** The delay that the endpoint requested. */
  retry_after_s: number | null;
}): Date | null {
  const delay_s = RETRY_DELAYS_S[given.tried];
  if (delay_s === undefined) return null;
  const jittered_s = delay_s * (1 + RETRY_JITTER_SHARE * (2 * given.chance - 1));
  // An endpoint can request a longer delay, but not a shorter one.
  const asked_s = Math.min(given.retry_after_s ?? 0, RETRY_AFTER_MAX_S);
  return new Date(given.now.getTime() + Math.round(Math.max(jittered_s, asked_s) * 1000));
}

/** The oldest of the three date formats has no time zone and means GMT. */
const ASCTIME = /^[A-Za-z]{3} [A-Za-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** `Retry-After` in seconds: a number or a date (RFC 9110, 10.2.3); null for anything else. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text);
  // Starts with a weekday, to exclude date formats that only JavaScript parses.
  const at_ms = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(ASCTIME.test(text) ? `${text} GMT` : text) : Number.NaN;
  return Number.isNaN(at_ms) ? null : Math.max(0, Math.ceil((at_ms - now.getTime()) / 1000));
}
