import type { LoggedRequest } from "./db/operations/request-log.ts";

/**
 * Requests on their way into the log. Whoever answers a request leaves it here and goes on; a job writes them down once
 * a second (usecases/operations/keep-requests.ts). When there are too many, because the database is slow or away, new ones are
 * counted and forgotten: a log must not cost the service its memory.
 */
export type RequestLog = {
  add(request: LoggedRequest): void;
  /** The oldest that wait; they stay until `remove` says that they are written. */
  oldest(most: number): LoggedRequest[];
  remove(count: number): void;
  /** How many were forgotten since the last call. */
  takeDropped(): number;
};

const MOST_WAITING = 50_000;

export function createRequestLog(most_waiting = MOST_WAITING): RequestLog {
  let waiting: LoggedRequest[] = [];
  let dropped = 0;
  return {
    add(request) {
      if (waiting.length < most_waiting) waiting.push(request);
      else dropped += 1;
    },
    oldest: (most) => waiting.slice(0, most),
    remove(count) {
      waiting = waiting.slice(count);
    },
    takeDropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}
