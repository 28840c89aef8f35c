/**
 * The delivery rate of one endpoint. The window is the number of concurrent attempts: it grows with each success and
 * halves with each failure, so a hanging endpoint soon occupies only one connection. An endpoint that keeps failing
 * also gets pauses between attempts.
 */
export type Pace = {
  readonly window: number;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** No attempts before this time, in milliseconds of the process's monotonic clock. */
  readonly paused_until_ms: number;
};

const FIRST_WINDOW = 8;
/** Keeps room for others during one partner's flood of events, even if the endpoint is fast. */
export const WIDEST_WINDOW = 64;
/** Pauses begin after this many consecutive failures, so the retries of a few events keep their schedule. */
const FAILURES_BEFORE_PAUSE = 20;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export const newPace: Pace = { window: FIRST_WINDOW, failures: 0, paused_until_ms: 0 };

export function paceAfter(pace: Pace, delivered: boolean, now_ms: number): Pace {
  if (delivered) {
    return { window: Math.min(WIDEST_WINDOW, pace.window + 1), failures: 0, paused_until_ms: 0 };
  }
  const failures = pace.failures + 1;
  const doublings = Math.min(failures - FAILURES_BEFORE_PAUSE, 10);
  const pause_ms = doublings < 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** doublings);
  return { window: Math.max(1, Math.floor(pace.window / 2)), failures, paused_until_ms: now_ms + pause_ms };
}

/** Without its pause. The next failure begins it again. */
export const resumed = (pace: Pace): Pace => ({ ...pace, paused_until_ms: 0 });

/** How many more attempts can start now. */
export const roomOf = (pace: Pace, in_flight: number, now_ms: number): number =>
  now_ms < pace.paused_until_ms ? 0 : Math.max(0, pace.window - in_flight);
