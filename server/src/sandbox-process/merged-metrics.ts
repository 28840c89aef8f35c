import type { Metrics } from "../metrics/metrics.ts";

/** The metrics of both processes. While the sandbox's is down, its own are absent. */
export const withSandboxMetrics = (metrics: Metrics, sandbox: { metrics(): Promise<string | undefined> }): Metrics => ({
  ...metrics,
  async text() {
    const [own, theirs] = await Promise.all([metrics.text(), sandbox.metrics()]);
    return theirs === undefined ? own : mergedMetrics(own, theirs, 'process="sandbox"');
  },
});

/**
 * One text in Prometheus's format from those of two processes. Each metric may appear once, so the second process's samples
 * follow the first one's, with a label that tells them apart.
 */
export function mergedMetrics(own: string, theirs: string, label: string): string {
  const families = familiesOf(own);
  for (const [name, { head, samples }] of familiesOf(theirs)) {
    const labeled = samples.map((sample) => labeledSample(sample, label));
    const family = families.get(name);
    if (family === undefined) families.set(name, { head, samples: labeled });
    else family.samples.push(...labeled);
  }
  return `${[...families.values()].flatMap(({ head, samples }) => [...head, ...samples]).join("\n")}\n`;
}

type Family = { head: string[]; samples: string[] };

function familiesOf(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: Family = { head: [], samples: [] };
  for (const line of text.split("\n")) {
    const [, name] = /^# (?:HELP|TYPE) (\S+)/.exec(line) ?? [];
    if (name !== undefined) {
      current = families.get(name) ?? { head: [], samples: [] };
      families.set(name, current);
      current.head.push(line);
    } else if (line !== "") current.samples.push(line);
  }
  return families;
}

const labeledSample = (sample: string, label: string): string =>
  sample.replace(
    // The sample may end with an exemplar, which has labels of its own.
    /^([^\s{]+)(?:\{(.*?)\})?( .*)$/,
    (_, name: string, labels: string | undefined, rest: string) =>
      labels === undefined || labels === "" ? `${name}{${label}}${rest}` : `${name}{${label},${labels}}${rest}`,
  );
