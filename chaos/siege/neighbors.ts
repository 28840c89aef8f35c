import { type AttackName, type AttackTally, addedTally, partnerFlood } from "./attacks.ts";
import { median, type SiegeSize, stolenSince, underSiege, type Victim } from "./siege.ts";

/** What a sandbox can do to the production beside it with its own tokens. */
const sandboxFlood: readonly AttackName[] = ["noise", "deep_pages", "big_events", "unknown_fields"];
const WARM_UP_MS = 2_000;

export type NeighborsTally = {
  rounds: { beside: Victim; flooded: Victim; stolen: number | null }[];
  attacks: Record<string, AttackTally>;
  /** The medians of the rounds. */
  beside_p99_ms: number;
  flooded_p99_ms: number;
  ratio: number;
  faults: string[];
};

/** Credentials of the production partner that floods. Each has a rate limit of its own. */
const FLOODERS = 4;

/**
 * Compares production's p99 while a sandbox floods the service with its p99 while the same flood hits a bare server
 * beside it. Both share the machine with the flood, so the difference is what the service lets through. With `fairness`,
 * one production partner floods, and another one is measured.
 */
export function campaignNeighbors(
  given: SiegeSize & { rounds: number; round_ms: number; warm_up_ms?: number; fairness?: boolean },
): Promise<NeighborsTally> {
  const { rounds: wanted, round_ms, warm_up_ms = WARM_UP_MS, fairness = false } = given;
  const flood = fairness ? partnerFlood : sandboxFlood;
  return underSiege({ ...given, ...(fairness && { flooders: FLOODERS }) }, async ({ measure, attack }) => {
    const rounds: NeighborsTally["rounds"] = [];
    let attacks: NeighborsTally["attacks"] = {};
    const faults: string[] = [];
    if (warm_up_ms > 0) await measure(warm_up_ms);
    for (let round = 0; round < wanted; round++) {
      const stolen = stolenSince();
      const { result: beside } = await attack("bare", flood, () => measure(round_ms));
      const { result: flooded, attacks: seen } = await attack("service", flood, () => measure(round_ms));
      rounds.push({ beside, flooded, stolen: stolen() });
      attacks = addedTally(attacks, seen);
      for (const { not_ok } of [beside, flooded]) {
        if (not_ok.length > 0) faults.push(`production got ${not_ok.join(", ")}`);
      }
    }
    for (const { faults: theirs } of Object.values(attacks)) faults.push(...theirs);
    const beside_p99_ms = median(rounds.map(({ beside }) => beside.p99_ms));
    const flooded_p99_ms = median(rounds.map(({ flooded }) => flooded.p99_ms));
    return { rounds, attacks, beside_p99_ms, flooded_p99_ms, ratio: flooded_p99_ms / beside_p99_ms, faults };
  });
}
