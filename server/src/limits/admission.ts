import { StatusRefusal } from "../domain/values/refusals.ts";

/**
 * Limits how many requests of one environment run at once. The others wait in line, and a request that finds the line full
 * gets 503 with Retry-After, so that a flood of one environment costs the other neither memory nor its turn.
 */
export type Admission = {
  /** Nothing if there is room, so that a free service does not wait a tick; else a promise. Throws if the line is full. */
  enter(): void | Promise<void>;
  leave(): void;
  /** How many run and how many wait. */
  load(): { running: number; waiting: number };
};

/** Waiting requests per running one. At a few milliseconds each, the last one in line still answers within a second. */
const LINE_FACTOR = 32;
const RETRY_AFTER_S = 1;

export function createAdmission(most_running: number): Admission {
  const line: (() => void)[] = [];
  let running = 0;
  return {
    enter() {
      if (running < most_running) {
        running += 1;
        return undefined;
      }
      if (line.length >= most_running * LINE_FACTOR) throw new StatusRefusal(503, RETRY_AFTER_S);
      return new Promise((resolve) => line.push(resolve));
    },
    leave() {
      // The next in line takes over the place, so `running` stays.
      const next = line.shift();
      if (next === undefined) running -= 1;
      else next();
    },
    load: () => ({ running, waiting: line.length }),
  };
}
