import { type AttackName, type AttackTally, attackNames } from "./attacks.ts";
import { growth, type SiegeSize, sampled, underSiege, type Victim } from "./siege.ts";

const MEMORY_EVERY_MS = 1_000;

export type HostileTally = {
  /** Production without any attack. */
  quiet: Victim;
  /** Production while the same attacks hit a bare server on the same machine. */
  beside: Victim;
  during: Victim;
  after: Victim;
  /** p99 during the attacks compared with `beside`. */
  ratio: number;
  memory: { samples: number; first_bytes: number; last_bytes: number; growth: number };
  attacks: Record<string, AttackTally>;
  faults: string[];
};

/** Every attack at once, from this machine only, while a production partner works. */
export function campaignHostile(
  given: SiegeSize & { duration_ms: number; names?: readonly AttackName[] },
): Promise<HostileTally> {
  const { duration_ms, names = attackNames } = given;
  const short_ms = Math.ceil(duration_ms / 10);
  return underSiege(given, async ({ measure, attack, memory }) => {
    await measure(Math.ceil(short_ms / 4));
    const quiet = await measure(short_ms);
    const { result: beside } = await attack("bare", names, () => measure(short_ms));
    const { result, attacks } = await attack("service", names, () =>
      sampled(MEMORY_EVERY_MS, memory, () => measure(duration_ms)),
    );
    const { result: during, samples } = result;
    const after = await measure(short_ms);
    const faults = Object.values(attacks).flatMap((tally) => tally.faults);
    for (const [when, { not_ok }] of Object.entries({ quiet, beside, during, after })) {
      if (not_ok.length > 0) faults.push(`production got ${not_ok.join(", ")} (${when})`);
    }
    return {
      quiet,
      beside,
      during,
      after,
      ratio: during.p99_ms / beside.p99_ms,
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
