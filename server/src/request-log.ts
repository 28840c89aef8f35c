import type { LoggedRequest } from "./db/operations/request-log.ts";

/**
 * Buffers requests for the request log. Listeners add each request, and a job writes them once a second
 * (usecases/operations/keep-requests.ts). If the buffer is full because the database is slow or down, new requests are
 * counted and dropped, so that memory stays bounded. Bodies are left out earlier.
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
const MOST_WAITING_BODIES = 2_000;

export function createRequestLog(most_waiting = MOST_WAITING): RequestLog {
  let waiting: LoggedRequest[] = [];
  let bodies = 0;
  let dropped = 0;
  return {
    add(request) {
      if (waiting.length >= most_waiting) {
        dropped += 1;
        return;
      }
      const keeps = request.body !== null && bodies < MOST_WAITING_BODIES;
      if (keeps) bodies += 1;
      waiting.push(keeps ? request : { ...request, body: null });
    },
    oldest: (most) => waiting.slice(0, most),
    remove(count) {
      for (const { body } of waiting.slice(0, count)) if (body !== null) bodies -= 1;
      waiting = waiting.slice(count);
    },
    takeDropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}
