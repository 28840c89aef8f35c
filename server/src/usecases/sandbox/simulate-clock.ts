import { refuseAll } from "../../domain/values/refusals.ts";
import { unknownFields } from "../../domain/values/unknown-fields.ts";
import { catchUp } from "./catch-up.ts";
import { LONGEST_ADVANCE_S, moveClock } from "./move-clock.ts";
import type { Simulation } from "./simulation.ts";

/** `{"advance_seconds":86400}` moves the account's clock forward. */
export const simulateClock: Simulation = (deps, { account_id }, simulation, problems) => {
  problems.push(...unknownFields(simulation, ["advance_seconds"], "simulation."));
  const { advance_seconds } = simulation;
  if (!isAdvance(advance_seconds)) problems.push({ code: 42200, field: "simulation.advance_seconds" });
  refuseAll(problems);
  return {
    attempt: async (tx) => {
      const now = await moveClock(tx, account_id, advance_seconds as number, deps.now());
      return { now: now.toISOString() };
    },
    // When the caller receives the answer, all work due by the new time is done.
    settle: (done) => catchUp(deps, account_id).then(() => done),
  };
};

const isAdvance = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LONGEST_ADVANCE_S;
