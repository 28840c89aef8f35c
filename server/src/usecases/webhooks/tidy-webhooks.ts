import { listAccounts } from "../../db/accounts/accounts.ts";
import {
  addWebhookWeeks,
  deleteEndpointHours,
  deleteOrphanDeliveries,
  deleteStrayAttempts,
  deleteStrayEvents,
  detachWebhookWeek,
  dropWebhookWeek,
  isWeekMissing,
  listOldWeeks,
} from "../../db/webhooks/weeks.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { transact } from "../write.ts";

const BITE = 5_000;
const DAY_MS = 24 * 3600 * 1000;
/** Creates weekly partitions this far ahead, so that a service that was off for weeks still has one at its start. */
const AHEAD_MS = 28 * DAY_MS;

/** Creates future weeks, drops weeks past the retention, and deletes old rows outside them that nothing needs. */
export async function tidyWebhooks(deps: Pick<Deps, "db" | "config" | "now" | "log">): Promise<void> {
  const { db } = deps;
  const now = deps.now();
  const before = new Date(now.getTime() - deps.config.WEBHOOK_RETENTION_DAYS * DAY_MS);
  const ahead = new Date(now.getTime() + AHEAD_MS);
  if (await isWeekMissing(db, ahead)) await transact({ db }, (tx) => addWebhookWeeks(tx, now, ahead));
  for (const week of await listOldWeeks(db, before)) {
    const kept_events = await transact({ db }, (tx) => detachWebhookWeek(tx, week));
    await transact({ db }, (tx) => dropWebhookWeek(tx, week));
    deps.log.info({ week, kept_events }, "a week of webhook events was dropped");
  }
  for (const { account_id, clock_offset_s } of await listAccounts(db)) {
    await inBites(BITE, () => deleteStrayEvents(db, account_id, before, BITE));
    await inBites(BITE, () => deleteStrayAttempts(db, account_id, BITE));
    await inBites(BITE, () => deleteEndpointHours(db, account_id, accountNow(before, clock_offset_s), BITE));
    await inBites(BITE, () => deleteOrphanDeliveries(db, account_id, BITE));
  }
}

/** Deletes in batches until none are left, so that no statement runs for long. Returns the total. */
export async function inBites(bite: number, remove: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await remove();
    total += count;
    if (count < bite) return total;
  }
}
