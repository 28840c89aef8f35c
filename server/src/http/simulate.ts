import { type Problem, RequestProblems, StatusRefusal } from "../domain/refusals.ts";
import { LONGEST_ADVANCE_S, moveClock } from "../usecases/move-clock.ts";
import type { JsonObject } from "./body.ts";
import type { WriteHandler } from "./partner-api.ts";

/** POST /simulate, for sandbox accounts: so far the account's own clock. */
export const simulate: WriteHandler = (deps, { grant }, body) => {
  if (grant.environment !== "sandbox") throw new StatusRefusal(404);
  const advance_seconds = parseClock(body);
  return async (tx) => {
    const now = await moveClock(tx, grant.account_id, advance_seconds, deps.now());
    return { status: 202, body: JSON.stringify({ now: now.toISOString() }) };
  };
};

function parseClock(body: JsonObject): number {
  const problems: Problem[] = [];
  const invalid = (field: string) => problems.push({ code: 42200, field });
  for (const name of Object.keys(body)) if (name !== "simulation_type" && name !== "simulation") invalid(name);
  if (body["simulation_type"] !== "clock") invalid("simulation_type");
  const simulation = body["simulation"];
  let advance_seconds: unknown;
  if (typeof simulation !== "object" || simulation === null || Array.isArray(simulation)) invalid("simulation");
  else {
    ({ advance_seconds } = simulation as { advance_seconds?: unknown });
    for (const name of Object.keys(simulation)) if (name !== "advance_seconds") invalid(`simulation.${name}`);
    if (
      !Number.isInteger(advance_seconds) ||
      Number(advance_seconds) < 1 ||
      Number(advance_seconds) > LONGEST_ADVANCE_S
    ) {
      invalid("simulation.advance_seconds");
    }
  }
  if (problems.length > 0) throw new RequestProblems(problems);
  return advance_seconds as number;
}
