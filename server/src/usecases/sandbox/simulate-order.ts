import {
  type ExceptionId,
  type FilledLine,
  type Order,
  type OrderState,
  type OrderStatus,
  SimulatedOrder,
  type Situation,
  type simulatedStatuses,
} from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { isOpen, system } from "../../domain/orders/order.ts";
import { addMonths } from "../../domain/values/calendar.ts";
import { exact } from "../../domain/values/quantity-units.ts";
import { readBody, refusalOf } from "../../domain/values/read-body.ts";
import { refuse, refuseAll } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { suggestedLots } from "../fulfillment/lots/fill-lots.ts";
import { shipOrder } from "../fulfillment/ship-order.ts";
import { approveReview, completeFill, verifyProduct, type Work, type Worker } from "../fulfillment/steps.ts";
import { trackByHand } from "../fulfillment/track-shipments.ts";
import { WorkRefusal } from "../fulfillment/work-refusal.ts";
import { cancelOrder } from "../orders/cancel-order.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { changeOrder } from "../orders/save-change.ts";
import { situationsToRaise } from "../orders/suggest-address.ts";
import type { Simulation } from "./simulation.ts";

/** Two simulated staff members, because the person who fills an order may not check it. */
const technician: Worker = { person_id: "simulated-technician", role: "technician", license: null };
export const simulatedPharmacist: Worker = {
  person_id: "simulated-pharmacist",
  role: "pharmacist",
  license: "SIMULATED",
};

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
  const loaded = await load(deps, account_id, order_number);
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

/** Takes step after step. One load is enough: the walk's own transaction holds the order after its first step. */
async function walkOrder(deps: Deps, loaded: LoadedOrder, to: OrderStatus) {
  const { order_number, order_status } = loaded.order;
  const answer = { order_number, order_status };
  for (let state = loaded.standing.state; answer.order_status !== to; state = nextStates[state]!) {
    const changed = await step(deps, loaded, state).catch(unlessRefused);
    answer.order_status = changed.order_status;
    // Stop at a hold on the way, such as a declined card, as a real order would.
    if (changed.order_status === "On Hold") break;
  }
  return answer;
}

/** The states on the way of an order that nothing holds. */
const nextStates: Partial<Record<OrderState, OrderState>> = {
  "Processing/clinical_review": "Filling/fill",
  "Filling/fill": "Filling/product_check",
  "Filling/product_check": "Filling/pack",
  "Filling/pack": "Shipped",
  Shipped: "Delivered",
};

/** A step that staff may not take now, for example on an order that a person has claimed, is refused here too. */
function unlessRefused(error: unknown): never {
  if (error instanceof WorkRefusal) refuse(42463, "simulation.to");
  throw error;
}

async function step(deps: Deps, { account_id, order }: LoadedOrder, state: OrderState): Promise<Order> {
  const work: Omit<Work, "by"> = { account_id, order_number: order.order_number };
  switch (state) {
    case "Processing/clinical_review":
      return approveReview(deps, { ...work, by: simulatedPharmacist });
    case "Filling/fill":
      return completeFill(deps, { ...work, by: technician }, await simulatedFill(deps, account_id, order.order_number));
    case "Filling/product_check":
      return verifyProduct(
        deps,
        { ...work, by: simulatedPharmacist },
        await simulatedScans(deps, account_id, order.order_number),
      );
    case "Filling/pack":
      return shipOrder(deps, { ...work, by: technician });
    case "Shipped":
      return trackByHand(deps, { ...work, by: technician }, "delivered", "Delivered.");
    default:
      return refuse(42463, "simulation.to");
  }
}

/** From the lots on the shelf, the first to expire first. Stock without a known lot has an invented one. */
async function simulatedFill(deps: Deps, account_id: string, order_number: string): Promise<FilledLine[]> {
  const loaded = await load(deps, account_id, order_number);
  const suggested = await suggestedLots(deps.db, loaded);
  const invented = { lot: "SIMULATED", lot_expires_on: addMonths(loaded.rules.today, 24) };
  return loaded.details.map(({ item_id, units }) => {
    const lots = suggested.get(item_id) ?? [];
    const rest = exact(units - lots.reduce((sum, one) => sum + one.units, 0));
    if (lots.length === 0) return { item_id, ...invented };
    return { item_id, lots: rest === 0 ? lots : [...lots, { ...invented, units: rest }] };
  });
}

async function simulatedScans(deps: Deps, account_id: string, order_number: string) {
  const { order, details } = await load(deps, account_id, order_number);
  return details.flatMap(({ item_id, lots }) => {
    const { ndc, sku } = order.items.find((one) => one.item_id === item_id)!;
    const scan = { item_id, code: ndc ?? sku };
    return lots.length < 2 ? [scan] : lots.map(({ lot }) => ({ ...scan, lot }));
  });
}

const load = (deps: Deps, account_id: string, order_number: string) =>
  withKeysOfNow(deps, () => loadChangingOrder(deps, deps.db, account_id, order_number));
