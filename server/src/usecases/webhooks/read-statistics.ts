import type { WebhookStatistics } from "@pestle/contract";
import { findEndpoint } from "../../db/webhooks/endpoints.ts";
import { loadStatistics, type Sums } from "../../db/webhooks/statistics.ts";
import type { Deps } from "../../deps.ts";

const HOURS_SHOWN = 24;

/** An endpoint's delivery statistics; undefined if the account has no endpoint with that id. */
export async function readStatistics(
  { db }: Pick<Deps, "db">,
  account_id: string,
  endpoint_id: string,
): Promise<WebhookStatistics | undefined> {
  const endpoint = await findEndpoint(db, account_id, endpoint_id);
  if (endpoint === undefined) return undefined;
  const { hours, waiting, oldest_waiting_at, ...sums } = await loadStatistics(db, account_id, endpoint_id, HOURS_SHOWN);
  return {
    endpoint_id: endpoint.endpoint_id,
    ...shownSums(sums),
    waiting,
    oldest_waiting_at: oldest_waiting_at?.toISOString() ?? null,
    hours: hours.map(({ hour, ...row }) => ({ hour: new Date(hour).toISOString(), ...shownSums(row) })),
  };
}

function shownSums({ attempts, delivered, failed, duration_ms, slowest_ms }: Sums) {
  const some = attempts > 0;
  return {
    attempts,
    delivered,
    failed,
    // Four digits show one failure in ten thousand.
    success_rate: some ? Math.round((delivered / attempts) * 10_000) / 10_000 : null,
    average_duration_ms: some ? Math.round(duration_ms / attempts) : null,
    slowest_duration_ms: slowest_ms,
  };
}
