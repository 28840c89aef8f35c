import { refuseAll } from "../../domain/values/refusals.ts";
import { unknownFields } from "../../domain/values/unknown-fields.ts";
import { catchUp } from "./catch-up.ts";
import { LONGEST_ADVANCE_S, moveClock } from "./move-clock.ts";
import { type Simulation, simulated } from "./simulation.ts";

/** `{"advance_seconds":86400}`: the account's own clock moves forward. */
export const simulateClock: Simulation = (deps, { account_id }, simulation, problems) => {
  problems.push(...unknownFields(simulation, ["advance_seconds"], "simulation."));
  const { advance_seconds } = simulation;
  if (!isAdvance(advance_seconds)) problems.push({ code: 42200, field: "simulation.advance_seconds" });
  refuseAll(problems);
  return async (tx) => {
    const now = await moveClock(tx, account_id, advance_seconds as number, deps.now());
    const done = simulated({ now: now.toISOString() });
    // What is due by then has happened when the answer is there.
    return { ...done, settle: () => catchUp(deps, account_id).then(() => done.body) };
  };
};

const isAdvance = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LONGEST_ADVANCE_S;
