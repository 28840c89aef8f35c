import type { SimulationType } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { type Problem, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import { isSentObject, unknownFields } from "../../domain/values/unknown-fields.ts";
import { scriptFormat } from "../../formats/formats.ts";
import { simulateClock } from "../../usecases/sandbox/simulate-clock.ts";
import { simulateEvent } from "../../usecases/sandbox/simulate-event.ts";
import { simulateOrder } from "../../usecases/sandbox/simulate-order.ts";
import { simulatePrescription } from "../../usecases/sandbox/simulate-prescription.ts";
import type { SimulatedChange, Simulation, Simulator } from "../../usecases/sandbox/simulation.ts";
import type { JsonObject } from "../body.ts";
import type { WriteHandler } from "../partner-api.ts";

/** What each `simulation_type` does. */
const simulations: Record<SimulationType, Simulation> = {
  clock: simulateClock,
  prescription: (deps, ...given) => simulatePrescription(deps, scriptFormat, ...given),
  order: simulateOrder,
  event: simulateEvent,
};

/** POST /simulate, for sandbox accounts. */
export const simulate: WriteHandler = (deps, { grant }, body) => simulateIn(deps, grant, body);

/** The same for whoever acts in an account. */
export async function simulateIn(deps: Deps, simulator: Simulator, body: JsonObject): Promise<SimulatedChange> {
  if (simulator.environment !== "sandbox") throw new StatusRefusal(404);
  const problems: Problem[] = unknownFields(body, ["simulation_type", "simulation"]);
  const { simulation_type, simulation } = body;
  const known = typeof simulation_type === "string" && Object.hasOwn(simulations, simulation_type);
  if (!known) problems.push({ code: 42200, field: "simulation_type" });
  if (!isSentObject(simulation)) problems.push({ code: 42200, field: "simulation" });
  if (!known || !isSentObject(simulation)) return refuseAll(problems) as never;
  return simulations[simulation_type as SimulationType](deps, simulator, simulation, problems);
}
