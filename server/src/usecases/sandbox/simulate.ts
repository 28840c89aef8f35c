import type { SimulationType } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import type { IntakeFormat } from "../../domain/intake/intake-format.ts";
import { type Problem, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import { isSentObject, notA, notOneOf, type SentFields, unknownFields } from "../../domain/values/unknown-fields.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { auditPortal, type PortalActor } from "../operations/audit-portal.ts";
import { type FinishedAnswer, type PartnerCall, write, writeAnswer } from "../write.ts";
import { simulateClock } from "./simulate-clock.ts";
import { simulateEvent } from "./simulate-event.ts";
import { simulateMessage } from "./simulate-message.ts";
import { simulateOrder } from "./simulate-order.ts";
import { simulatePrescription } from "./simulate-prescription.ts";
import type { SimulatedAnswer, SimulatedWrite, Simulation, Simulator } from "./simulation.ts";

/** POST /simulate, for sandbox accounts. */
export const simulate = (
  deps: Deps,
  script: IntakeFormat,
  call: PartnerCall,
  sent: SentFields,
): Promise<FinishedAnswer> => {
  // A simulation plays the pharmacy, and the pharmacy's steps compare a person's orders at all partners.
  const pharmacy = { ...deps, db: deps.across };
  return writeAnswer(pharmacy, call.key, 202, {
    ...simulationWrite(pharmacy, script, call.grant, sent),
    audit: (done) => {
      const patients = "patient_id" in done && typeof done.patient_id === "string" ? [done.patient_id] : [];
      return partnerEntry("simulate", call, { patients, subject: String(sent["simulation_type"]) });
    },
  });
};

/** The same for a person in the portal, audited in the same transaction. */
export const simulateInPortal = (
  deps: Deps,
  script: IntakeFormat,
  account: Simulator,
  by: PortalActor,
  sent: SentFields,
): Promise<SimulatedAnswer> => {
  const { attempt, ...plan } = simulationWrite(deps, script, account, sent);
  return write(deps, {
    ...plan,
    attempt: async (tx, simulated) => {
      await auditPortal(tx, deps.now(), by, "sandbox_used", String(sent["simulation_type"]));
      return attempt(tx, simulated);
    },
  });
};

const simulationWrite = (deps: Deps, script: IntakeFormat, simulator: Simulator, sent: SentFields) => ({
  prepare: () => readSimulation(deps, script, simulator, sent),
  attempt: (tx: Tx, simulated: SimulatedWrite) => simulated.attempt(tx),
  settle: (done: SimulatedAnswer, simulated: SimulatedWrite) => simulated.settle?.(done),
});

async function readSimulation(
  deps: Deps,
  script: IntakeFormat,
  simulator: Simulator,
  sent: SentFields,
): Promise<SimulatedWrite> {
  if (simulator.environment !== "sandbox") throw new StatusRefusal(404);
  const simulations: Record<SimulationType, Simulation> = {
    clock: simulateClock,
    prescription: (_, ...given) => simulatePrescription(deps, script, ...given),
    order: simulateOrder,
    message: simulateMessage,
    event: simulateEvent,
  };
  const problems: Problem[] = unknownFields(sent, ["simulation_type", "simulation"]);
  const { simulation_type, simulation } = sent;
  const known = typeof simulation_type === "string" && Object.hasOwn(simulations, simulation_type);
  if (!known) problems.push(notOneOf("simulation_type", simulation_type, Object.keys(simulations)));
  if (!isSentObject(simulation)) problems.push(notA("object", "simulation", simulation));
  if (!known || !isSentObject(simulation)) return refuseAll(problems) as never;
  return simulations[simulation_type as SimulationType](deps, simulator, simulation, problems);
}
