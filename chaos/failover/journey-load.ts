import { until } from "../until.ts";
import type { Journey } from "../webhook-ledger.ts";

/** A journey with the times between which the service made its order. */
export type TimedJourney = Journey & { begun_ms: number; answered_ms: number };

const WRITTEN_WITHIN_MS = 120_000;

/** Clients that make one journey after another until they are stopped. */
export function runJourneys(
  clients: number,
  run: (number: string, onWritten: () => void) => Promise<Journey>,
  first = 0,
) {
  const journeys: TimedJourney[] = [];
  const written_ms: number[] = [];
  let next = first;
  let stopping = false;
  const client = async () => {
    while (!stopping) {
      const begun_ms = Date.now();
      const made = await run(`${next++}`, () => written_ms.push(Date.now()));
      journeys.push({ ...made, begun_ms, answered_ms: Date.now() });
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  // `stop` reports a failure. Until then an unhandled rejection would end the process.
  running.catch(() => {});
  return {
    /** Waits for so many writes that are acknowledged from now on. */
    written(count = 1): Promise<unknown> {
      const enough = written_ms.length + count;
      const look = () => written_ms.length >= enough;
      return Promise.race([running, until("writes succeed", look, { deadline_ms: WRITTEN_WITHIN_MS, pause_ms: 10 })]);
    },
    /** The longest time without an acknowledged write since a moment. */
    longestGap(since_ms: number): number {
      const from = written_ms.findLastIndex((at) => at <= since_ms);
      const times = written_ms.slice(Math.max(0, from));
      return times.reduce((longest, at, index) => Math.max(longest, at - (times[index - 1] ?? at)), 0);
    },
    /** Every journey, after the last one has ended. */
    async stop(): Promise<TimedJourney[]> {
      stopping = true;
      await running;
      return journeys;
    },
  };
}
