/**
 * How fast one endpoint is sent to. The window is how many attempts may be under way at once: it grows with each that
 * succeeds and halves with each that fails, so that an endpoint that hangs soon holds one connection and no more. An
 * endpoint that only ever fails is left alone for a while between attempts, for its own sake.
 */
export type Pace = {
  readonly window: number;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  /** Nothing is sent before. Milliseconds of the process's own clock. */
  readonly paused_until_ms: number;
};

const FIRST_WINDOW = 8;
/** One partner's flood of events leaves this much room to others, whatever the endpoint takes. */
export const WIDEST_WINDOW = 64;
/** So many must fail in a row before the pauses begin: the attempts of a few events are made when they are due. */
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

/** How many more attempts may begin now. */
export const roomOf = (pace: Pace, in_flight: number, now_ms: number): number =>
  now_ms < pace.paused_until_ms ? 0 : Math.max(0, pace.window - in_flight);
