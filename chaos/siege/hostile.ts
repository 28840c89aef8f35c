import { type AttackName, type AttackTally, addedTally, attackNames } from "./attacks.ts";
import { growth, median, type SiegeSize, sampled, stolenSince, underSiege, type Victim } from "./siege.ts";

const MEMORY_EVERY_MS = 1_000;
const ROUNDS = 10;
/** All attacks open their connections at once. This part of a measurement comes first and does not count, on either server. */
const SETTLE_PART = 0.1;
/** The measurement beside the bare server takes this part of the one beside the attacked service. */
const BARE_PART = 1 / 4;

/** Production while the attacks hit a bare server on the same machine, and while they hit the service. */
type Round = {
  beside: Victim;
  during: Victim;
  /** The part of the processor time that other machines on the same host took; null where the system does not count it. */
  stolen: number | null;
};
export type HostileTally = {
  /** Production without any attack. */
  quiet: Victim;
  rounds: Round[];
  after: Victim;
  /** The medians of the rounds. */
  beside_p99_ms: number;
  during_p99_ms: number;
  ratio: number;
  memory: { samples: number; first_bytes: number; last_bytes: number; growth: number };
  attacks: Record<string, AttackTally>;
  faults: string[];
};

/**
 * Every attack at once, from this machine only, while a production partner works. The attacks on the bare server and on the
 * service take turns, because a machine that others share does not stay equally fast for so long.
 */
export function campaignHostile(
  given: SiegeSize & { duration_ms: number; rounds?: number; names?: readonly AttackName[] },
): Promise<HostileTally> {
  const { duration_ms, rounds: wanted = ROUNDS, names = attackNames } = given;
  const short_ms = Math.ceil(duration_ms / 10);
  return underSiege(given, async ({ measure, attack, memory }) => {
    await measure(Math.ceil(short_ms / 4));
    const quiet = await measure(short_ms);
    const rounds: Round[] = [];
    const samples: number[] = [];
    let attacks: HostileTally["attacks"] = {};
    for (let round = 0; round < wanted; round++) {
      const stolen = stolenSince();
      const round_ms = Math.ceil(duration_ms / wanted);
      const settled = async (during_ms: number) => {
        await measure(Math.ceil(round_ms * BARE_PART * SETTLE_PART));
        return measure(during_ms);
      };
      const { result: beside } = await attack("bare", names, () => settled(Math.ceil(round_ms * BARE_PART)));
      const { result, attacks: seen } = await attack("service", names, () =>
        sampled(MEMORY_EVERY_MS, memory, () => settled(round_ms)),
      );
      rounds.push({ beside, during: result.result, stolen: stolen() });
      samples.push(...result.samples);
      attacks = addedTally(attacks, seen);
    }
    const after = await measure(short_ms);
    const faults = Object.values(attacks).flatMap((tally) => tally.faults);
    const seen: [when: string, Victim][] = rounds.flatMap(({ beside, during }): [string, Victim][] => [
      ["beside", beside],
      ["during", during],
    ]);
    for (const [when, { not_ok }] of [["quiet", quiet] as const, ...seen, ["after", after] as const]) {
      if (not_ok.length > 0) faults.push(`production got ${not_ok.join(", ")} (${when})`);
    }
    const beside_p99_ms = median(rounds.map(({ beside }) => beside.p99_ms));
    const during_p99_ms = median(rounds.map(({ during }) => during.p99_ms));
    return {
      ...{ quiet, rounds, after, beside_p99_ms, during_p99_ms, ratio: during_p99_ms / beside_p99_ms },
      memory: {
        samples: samples.length,
        first_bytes: samples[0] ?? 0,
        last_bytes: samples.at(-1) ?? 0,
        growth: growth(samples),
      },
      attacks,
      faults,
    };
  });
}
