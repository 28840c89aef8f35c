import { NO_STAGE, type Staged } from "../tally.ts";
import { emptyTally, type MoneyTally } from "./money.ts";

export type MoneyStages = MoneyTally & Staged;

export const noMoney = (): MoneyStages => ({ ...emptyTally(), ...NO_STAGE });

export function addMoney(tally: MoneyStages, stage: MoneyTally, took_ms: number): MoneyStages {
  const { faults, ...counts } = stage;
  const added = Object.entries(counts).map(([name, count]) => [name, tally[name as keyof typeof counts] + count]);
  return {
    ...(Object.fromEntries(added) as Omit<MoneyTally, "faults">),
    faults: [...tally.faults, ...faults],
    stages: tally.stages + 1,
    took_ms: tally.took_ms + took_ms,
    done: false,
  };
}
