import { type Sample, trendsOf } from "../soak/soak-judge.ts";
import { figure, figuresOf } from "./report-figures.ts";

type Kinds = Record<string, number>;
type Outages = { kinds: Kinds; longest_outage_ms: Kinds };

const longest = (found: Outages & object) => {
  const worst = Math.max(0, ...Object.values(found.longest_outage_ms));
  const times = Object.entries(found.kinds).map(([kind, count]) => `${kind.replaceAll("_", " ")} ${count}`);
  return [...times, figuresOf(found), figure("longest_time_without_a_write_ms", worst)].join(", ");
};

/** What the row of a campaign says, if it is more than its figures. */
export const reported: Record<string, (found: never) => string> = {
  failover: (found: Outages) => ("kinds" in found ? longest(found) : figuresOf(found)),
  restarts: longest,
  network(found: Outages) {
    const worst = Math.max(0, ...Object.values(found.longest_outage_ms));
    const faults = Object.values(found.kinds).reduce((sum, one) => sum + one, 0);
    return [
      `faults of ${Object.keys(found.kinds).length} kinds ${faults}`,
      figuresOf(found),
      figure("longest_time_without_a_write_ms", worst),
    ].join(", ");
  },
  kills: killsOf,
  intake: killsOf,
  soak(found: { samples: Sample[] }) {
    const trends = trendsOf(found.samples).map(
      ({ process, what, growth }) => `${what} of the ${process} process ${(growth * 100).toFixed(2)} %`,
    );
    const early = found.samples[Math.floor(found.samples.length / 3)];
    const late = found.samples.at(-1);
    const drift = early && late ? [`p99 ${early.p99_ms} ms after a third and ${late.p99_ms} ms at the end`] : [];
    return [figuresOf(found), ...trends, ...drift].join(", ");
  },
  recovery(found: { restored_bytes: number; restore_ms: number }) {
    const minutes = ((found.restore_ms / 60_000) * 10_000_000_000) / found.restored_bytes;
    return `${figuresOf(found)}, ${minutes.toFixed(1)} minutes for each 10 GB`;
  },
};

function killsOf({ kinds }: { kinds: Record<string, Kinds> }): string {
  return Object.entries(kinds)
    .map(([kind, seen]) => `${kind.replaceAll("_", " ")} ${seen["kills"] ?? 0}`)
    .concat(
      figuresOf(
        Object.values(kinds).reduce<Kinds>((sum, seen) => {
          for (const name of ["checked", "orders", "tokens", "arrived"])
            if (seen[name] !== undefined) sum[name] = (sum[name] ?? 0) + seen[name];
          return sum;
        }, {}),
      ),
    )
    .join(", ");
}
