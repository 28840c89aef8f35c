import { growth } from "../siege/siege.ts";

/** What a part of the requests measured. */
export type Sample = {
  /** Each start of the service begins a new sitting, whose figures cannot be compared with those of another. */
  sitting: string;
  requests: number;
  p50_ms: number;
  p99_ms: number;
  /** Medians by process. */
  resident_bytes: Record<string, number>;
  descriptors: Record<string, number>;
};
export type Trend = { process: string; what: "memory" | "descriptors"; first: number; last: number; growth: number };

const GROWTH_LIMIT = 0.01;
/** The campaign prints a shorter sitting and does not judge it: a process that starts still grows. */
const JUDGED_FROM_REQUESTS = 500_000;
const JUDGED_FROM_SAMPLES = 9;

/** How memory and open files of each process grew over the last two thirds of each sitting. */
export function trendsOf(samples: readonly Sample[]): (Trend & { judged: boolean })[] {
  const sittings = [...new Set(samples.map(({ sitting }) => sitting))];
  return sittings.flatMap((sitting) => {
    const own = samples.filter((one) => one.sitting === sitting);
    const requests = own.reduce((sum, one) => sum + one.requests, 0);
    const judged = requests >= JUDGED_FROM_REQUESTS && own.length >= JUDGED_FROM_SAMPLES;
    return Object.keys(own[0]!.resident_bytes).flatMap((process) =>
      (["memory", "descriptors"] as const).map((what) => {
        const values = own.map(
          (one) => (what === "memory" ? one.resident_bytes[process] : one.descriptors[process]) ?? 0,
        );
        return { process, what, first: values[0]!, last: values.at(-1)!, growth: growth(values), judged };
      }),
    );
  });
}

export const judgeTrends = (trends: readonly (Trend & { judged: boolean })[]): string[] =>
  trends
    .filter((trend) => trend.judged && trend.growth >= GROWTH_LIMIT)
    .map(
      ({ process, what, growth: grew }) =>
        `${what} of the ${process} process grew by ${(grew * 100).toFixed(2)} % over the last two thirds`,
    );
