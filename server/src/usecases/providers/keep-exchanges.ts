import { insertExchange } from "../../db/operations/provider-exchanges.ts";
import type { Deps } from "../../deps.ts";

const BATCH = 100;
/** A provider that fails for days must not fill the disk with one order's calls. */
const MOST_PER_ORDER = 500;

/** Saves the calls of providers since the last run. Those that cannot be saved stay for the next run. */
export async function keepExchanges(deps: Pick<Deps, "db" | "provider_watch">): Promise<void> {
  for (;;) {
    const batch = deps.provider_watch.oldest(BATCH);
    if (batch.length === 0) return;
    for (const { about, duration_ms, ...exchange } of batch) {
      if (about !== undefined) {
        const row = { ...exchange, duration_ms: Math.round(duration_ms) };
        await insertExchange(deps.db, about.account_id, about.order_number, row, MOST_PER_ORDER);
      }
      deps.provider_watch.remove(1);
    }
  }
}
