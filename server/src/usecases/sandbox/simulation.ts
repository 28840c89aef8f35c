import type { Grant } from "../../db/accounts/tokens.ts";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import type { Problem } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import type { FinishedAnswer } from "../idempotently.ts";

/** The account that something is simulated in. */
export type Simulator = Pick<Grant, "account_id" | "environment" | "clock_offset_s">;

/**
 * Something that the sandbox can be made to do. It reads `simulation`, adds what is wrong with it to what was wrong
 * already, refuses all of that at once, and gives what runs in the transaction that keeps the answer.
 */
export type Simulation = (
  deps: Deps,
  simulator: Simulator,
  simulation: SentFields,
  problems: Problem[],
) => SimulatedChange | Promise<SimulatedChange>;
export type SimulatedChange = (tx: Tx) => Promise<FinishedAnswer>;

/** What was simulated has been taken, and goes its way. */
export const simulated = (body: Record<string, unknown>): FinishedAnswer => ({
  status: 202,
  body: JSON.stringify(body),
});
