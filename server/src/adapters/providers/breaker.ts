import type { BreakerState } from "./provider-watch.ts";

const MOST_FAILURES = 5;
const OPEN_MS = 30_000;

/**
 * A circuit breaker: after five failures in a row it refuses calls for 30 seconds, then lets one through. A provider that
 * is down then costs its callers no time-outs.
 */
export function breaker({ now, changed }: { now: () => number; changed: (state: BreakerState) => void }) {
  let failures = 0;
  let state: BreakerState = "closed";
  let opened_ms = 0;
  const become = (next: BreakerState) => {
    if (next === state) return;
    state = next;
    changed(next);
  };
  return {
    /** Whether a call may go out now. In the half-open state only the first one may. */
    allows(): boolean {
      if (state === "closed") return true;
      if (now() - opened_ms < OPEN_MS) return false;
      // The next call waits as long again, unless this one reports first.
      opened_ms = now();
      become("half_open");
      return true;
    },
    passed(): void {
      failures = 0;
      become("closed");
    },
    failed(): void {
      failures += 1;
      if (failures < MOST_FAILURES && state !== "half_open") return;
      opened_ms = now();
      become("open");
    },
  };
}
