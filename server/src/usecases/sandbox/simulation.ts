import type { SimulationType, Static, simulationAnswers } from "@pestle/contract";
import type { Grant } from "../../db/accounts/tokens.ts";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import type { Problem } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";

/** The account to simulate in. */
export type Simulator = Pick<Grant, "account_id" | "environment" | "clock_offset_s">;

/**
 * One kind of simulation. It reads `simulation`, adds its problems to the earlier ones and refuses all of them at once,
 * or returns the write to run. All its steps share one transaction.
 */
export type Simulation = (
  deps: Deps,
  simulator: Simulator,
  simulation: SentFields,
  problems: Problem[],
) => SimulatedWrite | Promise<SimulatedWrite>;

export type SimulatedAnswer = Static<(typeof simulationAnswers)[SimulationType]>;
export type SimulatedWrite = {
  attempt: (tx: Tx) => Promise<SimulatedAnswer>;
  /** Work after the commit. */
  settle?: (done: SimulatedAnswer) => Promise<SimulatedAnswer> | undefined;
};
