import { noTries, type Tries, type TryLimit, takeBackTry, takeTry } from "../domain/accounts/tries.ts";
import { BoundedMap } from "../domain/values/bounded-map.ts";

/** Counts wrong tries in this process's memory, with waits that grow. */
export type TryLimiter = {
  /** Counts a try. Returns the seconds to wait, 0 if it is allowed. */
  take(key: string, limit: TryLimit, now_ms: number): number;
  takeBack(key: string, limit: TryLimit): void;
  forget(key: string): void;
  /** Remembers that a person signed in from this network, so that others' wrong tries do not lock them out there. */
  trust(key: string, now_ms: number): void;
  trusts(key: string, now_ms: number): boolean;
};

const MOST_KEYS = { entries: 100_000, bytes: 64 * 1024 * 1024, bytesOf: () => 64 };
const MOST_TRUSTED = { entries: 20_000, bytes: 16 * 1024 * 1024, bytesOf: () => 8 };
const TRUST_MS = 30 * 24 * 3600_000;

export function createTryLimiter(): TryLimiter {
  const entries = new BoundedMap<Tries>(MOST_KEYS);
  const trusted = new BoundedMap<number>(MOST_TRUSTED);
  return {
    take(key, limit, now_ms) {
      let entry = entries.get(key);
      if (entry === undefined) {
        entry = noTries(now_ms);
        entries.set(key, entry);
      }
      return takeTry(entry, limit, now_ms);
    },
    takeBack(key, limit) {
      const entry = entries.get(key);
      if (entry !== undefined) takeBackTry(entry, limit);
    },
    forget: (key) => void entries.delete(key),
    trust: (key, now_ms) => void trusted.set(key, now_ms + TRUST_MS),
    trusts: (key, now_ms) => (trusted.get(key) ?? 0) > now_ms,
  };
}
