import type { LeaseShare } from "../db/accounts/rate-leases.ts";
import { type Bucket, type Limit, type Spent, spend } from "../domain/accounts/rate-limit.ts";
import { BoundedMap } from "../domain/values/bounded-map.ts";

/**
 * Counts requests per credential in memory. Processes share a limit through leases that a job renews once a second: each
 * gets the limit divided by the processes serving the same credential, or before its first lease, by all processes. No
 * request waits for the database.
 */
export type RateLimiter = {
  spend(account_id: string, bucket: string, limit: Limit, now_ms: number): Spent;
  /** Returns a token for a request that must not count. */
  giveBack(account_id: string, bucket: string, limit: Limit): void;
  /** Seconds until a request would be allowed; spends nothing. */
  wait(account_id: string, bucket: string, limit: Limit, now_ms: number): number;
  /** Buckets used since the last call, which need leases. */
  takeActive(): { account_id: string; bucket: string }[];
  setShares(processes: number, shares: readonly LeaseShare[]): void;
};

const MOST_BUCKETS = { entries: 100_000, bytes: 32 * 1024 * 1024, bytesOf: () => 64 };

export function createRateLimiter(): RateLimiter {
  type Entry = Bucket & { share: number | undefined; active: boolean };
  const entries = new BoundedMap<Entry>(MOST_BUCKETS);
  let processes = 1;
  return {
    spend(account_id, bucket, limit, now_ms) {
      // The entry keeps no text but its key: a part of a request's body would keep the whole body in memory.
      const key = `${account_id} ${bucket}`;
      let entry = entries.get(key);
      if (entry === undefined) {
        entry = { tokens: limit.burst, at_ms: now_ms, share: undefined, active: true };
        entries.set(key, entry);
      }
      entry.active = true;
      return spend(entry, limit, entry.share ?? 1 / processes, now_ms);
    },
    giveBack(account_id, bucket, limit) {
      const entry = entries.get(`${account_id} ${bucket}`);
      if (entry !== undefined) entry.tokens = Math.min(limit.burst, entry.tokens + 1);
    },
    wait(account_id, bucket, limit, now_ms) {
      const entry = entries.get(`${account_id} ${bucket}`);
      return entry === undefined ? 0 : spend({ ...entry }, limit, entry.share ?? 1 / processes, now_ms).retry_after_s;
    },
    takeActive() {
      const active: { account_id: string; bucket: string }[] = [];
      for (const [key, entry] of entries) {
        const space = key.indexOf(" ");
        if (entry.active) active.push({ account_id: key.slice(0, space), bucket: key.slice(space + 1) });
        // An idle bucket gives up its lease and restarts from the conservative share.
        else entry.share = undefined;
        entry.active = false;
      }
      return active;
    },
    setShares(count, shares) {
      processes = count;
      for (const { account_id, bucket, holders } of shares) {
        const entry = entries.get(`${account_id} ${bucket}`);
        if (entry !== undefined) entry.share = 1 / holders;
      }
    },
  };
}
