import { rolesOf } from "./config.ts";
import type { Deps } from "./deps.ts";
import { type Loop, startLoop } from "./jobs/loop.ts";
import type { usageExchange } from "./usecases/accounts/quotas.ts";
import { shareLimits } from "./usecases/accounts/share-limits.ts";
import type { readKeeper } from "./usecases/operations/keep-reads.ts";
import { keepExchanges } from "./usecases/providers/keep-exchanges.ts";

const SHARE_EVERY_MS = 1_000;
/** Processes agree about what an account stores within about this time. */
const SHARE_USAGE_EVERY_MS = 2_000;
/** A crash loses at most the reads of this time. */
const KEEP_READS_EVERY_MS = 1_000;
/** An order's timeline shows its calls of providers within about this time. */
const KEEP_EXCHANGES_EVERY_MS = 1_000;
export const CANARIES_EVERY_MS = 60_000;

/** The loops of every process: they exchange what it keeps in memory with the database. */
export function processJobs(
  deps: Deps,
  {
    process_id,
    usage,
    reads,
  }: { process_id: string; usage: ReturnType<typeof usageExchange>; reads: ReturnType<typeof readKeeper> },
): Loop[] {
  const keepingReads = startLoop(deps, "keep-reads", KEEP_READS_EVERY_MS, () => reads.run());
  deps.audit_log.onBatch = keepingReads.wake;
  // A process that admits no requests takes no share of the limits.
  const admits = rolesOf(deps.config).some((role) => role === "api" || role === "token");
  return [
    keepingReads,
    startLoop(deps, "keep-exchanges", KEEP_EXCHANGES_EVERY_MS, (own) => keepExchanges(own)),
    startLoop(deps, "share-usage", SHARE_USAGE_EVERY_MS, () => usage.run()),
    ...(admits ? [startLoop(deps, "share-limits", SHARE_EVERY_MS, (own) => shareLimits(own, process_id))] : []),
  ];
}
