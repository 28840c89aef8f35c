import {
  type ExceptionId,
  type OrderStatus,
  SimulatedOrder,
  type Situation,
  type simulatedStatuses,
} from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { isOpen, system } from "../../domain/orders/order.ts";
import { readBody, refusalOf } from "../../domain/values/read-body.ts";
import { refuse, refuseAll } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { cancelOrder } from "../orders/cancel-order.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { changeOrder } from "../orders/save-change.ts";
import { situationsToRaise } from "../orders/suggest-address.ts";
import type { Simulation } from "./simulation.ts";
import { walkOrder } from "./walk-order.ts";

/** The statuses that a simulation can reach, in this order. */
const walk = ["Processing", "Filling", "Shipped", "Delivered"] as const satisfies readonly OrderStatus[];

type OrderSimulation = { order_number: string } & (
  | { to: (typeof simulatedStatuses)[number] }
  | { exception_id: ExceptionId }
);

/** `{"order_number","to":"Shipped"}` or `{"order_number","exception_id":77}`. */
export const simulateOrder: Simulation = async (deps, { account_id }, simulation, problems) => {
  const { fields, problems: found } = readBody(SimulatedOrder, simulation, "simulation.");
  const { to, exception_id } = simulation;
  // Exactly one of the two: a target status or an exception.
  const given = [to, exception_id].filter((value) => value !== undefined && value !== null).length;
  if (given !== 1 && !found.some(({ field }) => field === "simulation.to")) {
    found.push({
      ...refusalOf(SimulatedOrder, "to", undefined, "simulation."),
      problem: given === 0 ? "missing" : "conflict",
    });
  }
  refuseAll([...problems, ...found]);
  // All steps share one transaction, so the whole walk is saved or none of it.
  const asked = fields as OrderSimulation;
  const situations =
    "exception_id" in asked
      ? await situationsToRaise(deps, { account_id, order_number: asked.order_number }, asked.exception_id)
      : () => [];
  return { attempt: (tx) => playOrder({ ...deps, db: tx }, account_id, asked, situations) };
};

/**
 * Plays the pharmacy: takes an order through every step to a status, with the same use cases that staff use, or raises
 * an exception on it. Refuses to move a held order (42463).
 */
export async function playOrder(
  deps: Deps,
  account_id: string,
  simulation: OrderSimulation,
  situations: (loaded: LoadedOrder) => Situation[] = () => [],
): Promise<{ order_number: string; order_status: OrderStatus }> {
  const { order_number } = simulation;
  const steps = "to" in simulation && simulation.to !== "Canceled";
  const facts = steps ? "elsewhere" : "own";
  const loaded = await withKeysOfNow(deps, () => loadChangingOrder(deps, deps.db, account_id, order_number, facts));
  if ("exception_id" in simulation) {
    const { exception_id } = simulation;
    if (!isOpen(loaded.standing) || loaded.standing.open.includes(exception_id))
      refuse(42463, "simulation.exception_id");
    const { order } = await withKeysOfNow(deps, () =>
      changeOrder(deps, deps.db, loaded, { raises: [exception_id], situations: situations(loaded) }, { actor: system }),
    );
    return { order_number, order_status: order.order_status };
  }
  if (loaded.standing.state === "On Hold") refuse(42463, "simulation.to");
  if (simulation.to === "Canceled") {
    if (!isOpen(loaded.standing)) refuse(42463, "simulation.to");
    const { order_status } = await withKeysOfNow(deps, () =>
      cancelOrder(deps, deps.db, { account_id, order_number, actor: system }),
    );
    return { order_number, order_status };
  }
  const from = walk.indexOf(loaded.order.order_status as (typeof walk)[number]);
  if (from === -1 || from >= walk.indexOf(simulation.to)) refuse(42463, "simulation.to");
  return walkOrder(deps, loaded, simulation.to);
}
