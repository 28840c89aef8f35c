import type { Found, Tally } from "../tally.ts";

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
export const milliseconds = (ms: number) => (Number.isFinite(ms) ? `${ms.toFixed(1)} ms` : "no answer");
export const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
export const percent = (ratio: number) => (Number.isFinite(ratio) ? `${(ratio * 100).toFixed(0)} %` : "no answer");

/** Each figure with its name. Those that are not numbers have lines of their own. */
export const figures = (counts: object): string =>
  Object.entries(counts)
    .filter(([, value]) => typeof value === "number")
    .map(([name, value]) => `  ${name.replaceAll("_", " ")} ${value}`)
    .join("");

export function showFaults(faults: readonly string[]): boolean {
  for (const fault of [...new Set(faults)].slice(0, 20)) console.log(`             ${fault}`);
  return faults.length === 0;
}

/** One line with the figures of a run, and its faults. */
export function showFigures<Result extends Found>({ found, took_ms }: Tally<Result> & { found: Result }): boolean {
  console.log(`took ${seconds(took_ms)}${figures(found)}  faults ${found.faults.length}`);
  return showFaults(found.faults);
}

/** One line per kind: how often, the largest first. */
export function showCounts(counts: Readonly<Record<string, number>>, width = 30): void {
  for (const [what, times] of Object.entries(counts).sort(([, a], [, b]) => b - a))
    console.log(`${what.padEnd(width)}${String(times).padStart(8)}`);
}

/** One line per command: how often it succeeded, and how often it failed for which reason. */
export function showOutcomes(outcomes: Readonly<Record<string, Record<string, number>>>): void {
  for (const [command, counts] of Object.entries(outcomes).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { done = 0, ...refusals } = counts;
    const told = Object.entries(refusals).sort(([, a], [, b]) => b - a);
    const why = told.map(([refusal, times]) => `${refusal}: ${times}`).join("  ");
    console.log(`${command.padEnd(30)}${String(done).padStart(8)}  ${why}`);
  }
}

/** A rule that the campaign broke itself must be noticed. */
export function showBroken(what: string, fault: string | undefined): boolean {
  const line = fault?.replace(/\n.*/s, "").slice(0, 200);
  console.log(`broken on purpose: ${what}: ${line === undefined ? "NOT caught" : `caught: ${line}`}`);
  return fault !== undefined;
}
