import type { MetricRow } from "./metrics-table.ts";

/** `counts` has one entry per bucket and one for longer times. `exemplars` has the newest traced one of each. */
type Series = { labels: string; counts: number[]; sum_s: number; exemplars: (string | undefined)[] | undefined };

export type TimeHistogram = {
  /** `key` and `values` identify the same series; the key is cheaper to compare. */
  observe(key: string, values: readonly string[], seconds: number, trace_id?: string): void;
  text(): string;
};

/**
 * A histogram of times. The library would sort and join the labels of every request, which takes longer than routing it. A
 * traced observation becomes the exemplar of its bucket (`domain/operations/metrics-format.ts` leaves it out where the reader
 * cannot read it).
 */
export function timeHistogram(name: string, { meaning, labels, buckets = [] }: MetricRow): TimeHistogram {
  const series = new Map<string, Series>();
  return {
    observe(key, values, seconds, trace_id) {
      let one = series.get(key);
      if (one === undefined) {
        const text = labels.map((label, index) => `${label}="${values[index]}"`).join(",");
        one = { labels: text, counts: new Array<number>(buckets.length + 1).fill(0), sum_s: 0, exemplars: undefined };
        series.set(key, one);
      }
      let bucket = 0;
      while (bucket < buckets.length && seconds > buckets[bucket]!) bucket++;
      one.counts[bucket]! += 1;
      one.sum_s += seconds;
      if (trace_id === undefined) return;
      one.exemplars ??= new Array<string | undefined>(buckets.length + 1);
      one.exemplars[bucket] = ` # {trace_id="${trace_id}"} ${seconds} ${(Date.now() / 1000).toFixed(3)}`;
    },
    text() {
      const lines = [`# HELP ${name} ${meaning}`, `# TYPE ${name} histogram`];
      for (const { labels: own, counts, sum_s, exemplars } of series.values()) {
        const more = own === "" ? "" : `,${own}`;
        const all = own === "" ? "" : `{${own}}`;
        let within = 0;
        for (const [index, count] of counts.entries()) {
          within += count;
          lines.push(`${name}_bucket{le="${buckets[index] ?? "+Inf"}"${more}} ${within}${exemplars?.[index] ?? ""}`);
        }
        lines.push(`${name}_sum${all} ${sum_s}`, `${name}_count${all} ${within}`);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}
