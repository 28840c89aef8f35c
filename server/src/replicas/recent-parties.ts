/** The parties of the last while, in two sets of which the older one is forgotten at once. */
export type RecentParties = { add(party: string): void; has(party: string): boolean };

const MOST = 100_000;

/** Keeps a party for at least `kept_ms` and at most twice as long. With too many of them, every party counts as one. */
export function recentParties(kept_ms: number, now_ms: () => number): RecentParties {
  let [newer, older] = [new Set<string>(), new Set<string>()];
  let [too_many, were_too_many] = [false, false];
  let since_ms = now_ms();
  const turn = () => {
    const age_ms = now_ms() - since_ms;
    if (age_ms < kept_ms) return;
    older = age_ms < 2 * kept_ms ? newer : new Set();
    were_too_many = age_ms < 2 * kept_ms && too_many;
    [newer, too_many] = [new Set(), false];
    since_ms += age_ms;
  };
  return {
    add(party) {
      turn();
      if (newer.size < MOST) newer.add(party);
      else too_many = true;
    },
    has(party) {
      turn();
      return newer.has(party) || older.has(party) || too_many || were_too_many;
    },
  };
}
