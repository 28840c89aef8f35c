import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { FailoverTally } from "./failover.ts";

/** What the stages of a campaign found so far, in a file, because a campaign may outlast a sitting. */
export type Tally = FailoverTally & { stages: number; took_ms: number; done: boolean };

const NONE: Tally = {
  ...{ failovers: 0, kinds: {}, longest_outage_ms: {}, orders: 0, events: 0, arrived: 0, faults: [] },
  ...{ stages: 0, took_ms: 0, done: false },
};

/** The tally of a campaign that was interrupted. A finished one starts again. */
export function readTally(file: string): Tally {
  const read = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Tally) : NONE;
  return read.done ? NONE : read;
}

export function writeTally(file: string, tally: Tally): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.draft`, `${JSON.stringify(tally, null, 2)}\n`);
  renameSync(`${file}.draft`, file);
}

/** Adds a stage. */
export function addStage(tally: Tally, stage: FailoverTally, took_ms: number): Tally {
  const kinds = { ...tally.kinds };
  for (const [kind, times] of Object.entries(stage.kinds)) kinds[kind] = (kinds[kind] ?? 0) + times;
  const longest_outage_ms = { ...tally.longest_outage_ms };
  for (const [kind, ms] of Object.entries(stage.longest_outage_ms))
    longest_outage_ms[kind] = Math.max(longest_outage_ms[kind] ?? 0, ms);
  return {
    failovers: tally.failovers + stage.failovers,
    kinds,
    longest_outage_ms,
    orders: tally.orders + stage.orders,
    events: tally.events + stage.events,
    arrived: tally.arrived + stage.arrived,
    faults: [...tally.faults, ...stage.faults],
    stages: tally.stages + 1,
    took_ms: tally.took_ms + took_ms,
    done: false,
  };
}
