import { insertRequests } from "../../db/operations/request-log.ts";
import type { Deps } from "../../deps.ts";
import { latencyBucket } from "../../domain/operations/latency-buckets.ts";

/** So many in one statement. */
const BATCH = 5_000;

/** Writes down the requests that were answered since the last time. What cannot be written waits for the next. */
export async function keepRequests(deps: Pick<Deps, "db" | "request_log" | "metrics">): Promise<void> {
  deps.metrics.countDroppedRequests(deps.request_log.takeDropped());
  for (;;) {
    const batch = deps.request_log.oldest(BATCH);
    if (batch.length === 0) return;
    const rows = batch.map(({ refused, route, duration_ms, ...request }) => ({
      ...request,
      route: shownRoute(route),
      duration_ms: Math.round(duration_ms * 100) / 100,
      error_codes: codesOf(refused),
      bucket: latencyBucket(duration_ms),
    }));
    await insertRequests(deps.db, rows);
    deps.request_log.remove(batch.length);
  }
}

/** As the documentation spells it: one name for both addresses of an operation. */
const shownRoute = (route: string) => route.replace(/^\/v1(?=\/)/, "").replaceAll(/:(\w+)/g, "{$1}");

/** In the order in which the answer told them. */
const codesOf = (refused = ""): number[] =>
  refused
    .split(" ")
    .filter((code) => /^\d{5}$/.test(code))
    .map(Number)
    .sort((a, b) => a - b);
