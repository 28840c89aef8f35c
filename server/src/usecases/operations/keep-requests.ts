import { listAccounts } from "../../db/accounts/accounts.ts";
import {
  deleteOldRequests,
  findExcessBefore,
  insertRequests,
  type LoggedRequest,
} from "../../db/operations/request-log.ts";
import type { Deps } from "../../deps.ts";
import { latencyBucket } from "../../domain/operations/latency-buckets.ts";
import { inBites } from "../webhooks/tidy-webhooks.ts";

/** Rows per statement. */
const BATCH = 5_000;

/** Saves the requests answered since the last run. Requests that cannot be saved stay for the next run. */
export async function keepRequests(deps: Pick<Deps, "db" | "request_log" | "metrics">): Promise<void> {
  deps.metrics.countDroppedRequests(deps.request_log.takeDropped());
  for (;;) {
    const batch = deps.request_log.oldest(BATCH);
    if (batch.length === 0) return;
    const rows = batch.filter(isShown).map(({ refused, route, duration_ms, ...request }) => ({
      ...request,
      route: shownRoute(route),
      duration_ms: Math.round(duration_ms * 100) / 100,
      error_codes: codesOf(refused),
      bucket: latencyBucket(duration_ms),
    }));
    if (rows.length > 0) await insertRequests(deps.db, rows);
    deps.request_log.remove(batch.length);
  }
}

/** A program that follows its own requests would otherwise fill the log with the requests for it. */
const isShown = ({ route }: LoggedRequest) => !/^(\/v1)?\/requests(\/:request_id)?$/.test(route);

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

const DAY_MS = 24 * 3600 * 1000;

/** Deletes the oldest requests of accounts that have more than REQUEST_LOG_ROWS. Returns how many. */
export async function limitRequests({ db, config, now }: Pick<Deps, "db" | "config" | "now">): Promise<number> {
  const since = new Date(now().getTime() - config.REQUEST_LOG_DAYS * DAY_MS);
  let deleted = 0;
  for (const { account_id } of await listAccounts(db)) {
    const before = await findExcessBefore(db, account_id, since, config.REQUEST_LOG_ROWS);
    if (before !== undefined) deleted += await inBites(BATCH, () => deleteOldRequests(db, account_id, before, BATCH));
  }
  return deleted;
}
