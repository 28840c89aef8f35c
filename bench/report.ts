import type { Measured } from "./load.ts";

export type Report = { text: string; json: Record<string, number | boolean | string>; reached: boolean };

type Figures = { per_second: number; p50_ms: number; p99_ms: number };

/** The medians of the HTTP measurements over the rounds. */
export const httpFigures = (rounds: readonly Measured[]): Figures => ({
  per_second: Math.round(median(rounds.map(({ per_second }) => per_second))),
  p50_ms: rounded(median(rounds.map(({ p50_ms }) => p50_ms))),
  p99_ms: rounded(median(rounds.map(({ p99_ms }) => p99_ms))),
});

const WIDTH = 36;

export const httpLine = (name: string, { per_second, p50_ms, p99_ms }: Figures) =>
  `${rateLine(name, per_second)}   p50 ${p50_ms.toFixed(2)} ms   p99 ${p99_ms.toFixed(2)} ms`;

export const rateLine = (name: string, per_second: number) =>
  `${name.padEnd(WIDTH)}${String(per_second).padStart(8)} /s`;

/** Prefixed with the measurement's name, for one flat JSON object. */
export const httpJson = (name: string, figures: Figures) =>
  Object.fromEntries(Object.entries(figures).map(([figure, value]) => [`${name}_${figure}`, value]));

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const rounded = (value: number) => Math.round(value * 100) / 100;
