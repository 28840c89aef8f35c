import { NO_STAGE, type Staged } from "../tally.ts";
import type { FailoverTally } from "./failover.ts";

export type Tally = FailoverTally & Staged;

export const NO_FAILOVER: Tally = {
  ...{ failovers: 0, kinds: {}, longest_outage_ms: {}, orders: 0, events: 0, arrived: 0, faults: [] },
  ...NO_STAGE,
};

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
