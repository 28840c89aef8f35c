import { performance } from "node:perf_hooks";
import type { Admission } from "./admission.ts";

/** Longer than a slow request computes, and short enough that others hardly notice the start of a flood. */
const EVERY_MS = 100;

/** Tells the lines of requests how busy this process is. Returns what stops it. */
export function keepPace(admissions: readonly Pick<Admission, "pace">[]): () => void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    for (const admission of admissions) admission.pace(utilization);
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
