import { type Environment, isQuotaName, type QuotaName, quotaNames } from "@pestle/contract";
import type { UsageChange, UsageRow } from "../db/accounts/usage.ts";
import { type Drawn, type QuotaState, stateOf } from "../domain/accounts/quotas.ts";
import { BoundedMap } from "../domain/values/bounded-map.ts";

/**
 * What each account stores, as this process knows it: the numbers in the database, and what this process added since. A
 * job exchanges both every few seconds, so that no request waits for a count or locks one.
 */
export type QuotaBook = {
  /** An account without an entry has stored nothing yet. */
  read(account_id: string, environment: Environment): QuotaState;
  add(account_id: string, drawn: Drawn): void;
  /** What the database does not have yet. It counts here until `settle` says that it is saved, or gives it back. */
  take(): UsageChange[];
  settle(taken: readonly UsageChange[], saved: boolean): void;
  learn(rows: readonly UsageRow[]): void;
  /** One exchange at a time, so that older numbers never replace newer ones. */
  inTurn(exchange: () => Promise<void>): Promise<void>;
};

type Entry = Record<QuotaName, { used: number; most: number | null; added: number; taken: number }>;
const MOST_ACCOUNTS = { entries: 100_000, bytes: 100 * 1024 * 1024, bytesOf: () => 700 };

export function createQuotaBook(): QuotaBook {
  const accounts = new BoundedMap<Entry>(MOST_ACCOUNTS);
  const entryOf = (account_id: string): Entry => {
    const known = accounts.get(account_id);
    if (known !== undefined) return known;
    const made = Object.fromEntries(
      quotaNames.map((name) => [name, { used: 0, most: null, added: 0, taken: 0 }]),
    ) as Entry;
    accounts.set(account_id, made);
    return made;
  };
  /** The accounts with additions, so that the job does not walk through all of them. */
  let changed = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  return {
    inTurn(exchange) {
      const turn = last.then(exchange);
      last = turn.catch(() => {});
      return turn;
    },
    read(account_id, environment) {
      const entry = accounts.get(account_id);
      return stateOf((name) => {
        const { used = 0, most = null, added = 0, taken = 0 } = entry?.[name] ?? {};
        return { used: Math.max(0, used + added + taken), most, environment };
      });
    },
    add(account_id, drawn) {
      const entry = entryOf(account_id);
      for (const name of quotaNames) entry[name].added += drawn[name] ?? 0;
      changed.add(account_id);
    },
    take() {
      const changes: UsageChange[] = [];
      const these = changed;
      changed = new Set();
      for (const account_id of these) {
        const entry = accounts.get(account_id);
        if (entry === undefined) continue;
        for (const quota of quotaNames) {
          const place = entry[quota];
          if (place.added === 0) continue;
          changes.push({ account_id, quota, amount: place.added });
          place.taken += place.added;
          place.added = 0;
        }
      }
      return changes;
    },
    settle(taken, saved) {
      for (const { account_id, quota, amount } of taken) {
        const place = entryOf(account_id)[quota];
        place.taken -= amount;
        if (saved) continue;
        place.added += amount;
        changed.add(account_id);
      }
    },
    learn(rows) {
      for (const { account_id, quota, used, most } of rows) {
        if (!isQuotaName(quota)) continue;
        const place = entryOf(account_id)[quota];
        place.used = used;
        place.most = most;
      }
    },
  };
}
