import { insertRequests } from "../../db/operations/request-log.ts";
import type { Deps } from "../../deps.ts";
import { latencyBucket } from "../../domain/operations/latency-buckets.ts";

/** Rows per statement. */
const BATCH = 5_000;

/** Saves the requests answered since the last run. Requests that cannot be saved stay for the next run. */
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

/** The route as the documentation spells it, the same with and without `/v1`. */
const shownRoute = (route: string) => route.replace(/^\/v1(?=\/)/, "").replaceAll(/:(\w+)/g, "{$1}");

const NO_CODES: number[] = [];

/** In the same order as in the response. */
const codesOf = (refused = ""): number[] =>
  refused === ""
    ? NO_CODES
    : refused
        .split(" ")
        .filter((code) => /^\d{5}$/.test(code))
        .map(Number)
        .sort((a, b) => a - b);
