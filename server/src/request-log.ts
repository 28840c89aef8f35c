import type { LoggedRequest } from "./db/operations/request-log.ts";

/**
 * Buffers requests for the request log. Listeners add each request, and a job writes them once a second
 * (usecases/operations/keep-requests.ts). If the buffer is full because the database is slow or down, new requests are
 * counted and dropped, so that memory stays bounded.
 */
export type RequestLog = {
  add(request: LoggedRequest): void;
  /** The oldest buffered requests; they stay until `remove` confirms that they are written. */
  oldest(most: number): LoggedRequest[];
  remove(count: number): void;
  /** How many were dropped since the last call. */
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
