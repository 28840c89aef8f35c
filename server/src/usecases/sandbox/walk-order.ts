import type { Order, OrderStatus } from "@pestle/contract";
import { loadShelvesToFill } from "../../db/catalogue/stock-lots.ts";
import { endLabel } from "../../db/fulfillment/parcel-labels.ts";
import { lockOrder } from "../../db/orders/orders.ts";
import { type OrderChange, saveOrderChanges } from "../../db/orders/save-order-change.ts";
import type { Deps } from "../../deps.ts";
import { ImpossibleStep } from "../../domain/orders/order.ts";
import { decideChange, type Outcome } from "../../domain/orders/order-change.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { makeLabel, newestLabel } from "../fulfillment/parcels/parcel-label.ts";
import { voidLabels } from "../fulfillment/parcels/void-labels.ts";
import { type LotCheck, lotCheck } from "../fulfillment/recall/quarantine-lot.ts";
import { capture, declined, requirePacked, SHIP, shipped } from "../fulfillment/ship-order.ts";
import {
  actorOf,
  byWorker,
  type Decided,
  fillCompleted,
  packagesOf,
  productVerified,
  requireFree,
  reviewApproved,
  type Work,
  type Worker,
} from "../fulfillment/steps.ts";
import { trackedByHand } from "../fulfillment/track-shipments.ts";
import { WorkRefusal } from "../fulfillment/work-refusal.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { type ChangeBy, decideSave } from "../orders/save-change.ts";
import { settlePayment } from "../orders/settle-payment.ts";
import { INVENTED_LOT, simulatedFill, simulatedScans } from "./simulated-fill.ts";

/** Two simulated staff members, because the person who fills an order may not check it. */
const technician: Worker = { person_id: "simulated-technician", role: "technician", license: null };
export const simulatedPharmacist: Worker = {
  person_id: "simulated-pharmacist",
  role: "pharmacist",
  license: "SIMULATED",
};

/** An order on its way, as the steps so far left it, and those of them that are not saved yet. */
type Walk = { loaded: LoadedOrder; unsaved: OrderChange[]; lots: ReturnType<typeof checkedLots> };

/**
 * Takes step after step in the caller's transaction, with the same decisions as staff. The order is loaded once, and most
 * steps are saved together: each continues from the order as the one before left it.
 */
export async function walkOrder(
  deps: Deps,
  loaded: LoadedOrder,
  to: OrderStatus,
): Promise<Pick<Order, "order_number" | "order_status">> {
  const walk: Walk = { loaded, unsaved: [], lots: checkedLots(lotCheck(deps.db, loaded.account_id)) };
  const status = () => walk.loaded.order.order_status;
  try {
    // Stop at a hold on the way, such as a declined card, as a real order would.
    while (status() !== to && status() !== "On Hold") await takeStep(deps, walk);
  } catch (error) {
    // A step that staff may not take now, for example on an order that a person has claimed, is refused here too.
    if (error instanceof WorkRefusal || error instanceof ImpossibleStep) refuse(42463, "simulation.to");
    throw error;
  }
  await save(deps, walk);
  return { order_number: loaded.order.order_number, order_status: status() };
}

function takeStep(deps: Deps, walk: Walk): Promise<void> {
  switch (walk.loaded.standing.state) {
    case "Processing/clinical_review":
      return take(deps, walk, simulatedPharmacist, reviewApproved);
    case "Filling/fill":
      return fill(deps, walk);
    case "Filling/product_check": {
      const scanned = simulatedScans(walk.loaded);
      return take(deps, walk, simulatedPharmacist, (work) => (loaded) => {
        return productVerified(work, scanned)(loaded, walk.lots.refuseRecalled);
      });
    }
    case "Filling/pack":
      return ship(deps, walk);
    case "Shipped":
      return take(deps, walk, technician, (work) => trackedByHand(work, "delivered", "Delivered."));
    default:
      return refuse(42463, "simulation.to");
  }
}

const workOf = ({ loaded }: Walk, by: Worker): Work => ({
  account_id: loaded.account_id,
  order_number: loaded.order.order_number,
  by,
});

/** Which packages are known to be of no recalled lot, because the steps of a walk ask about the same ones. */
function checkedLots(check: LotCheck) {
  const checked = new Set<string>();
  const add = (packages: readonly Package[]) => {
    for (const one of packages) checked.add(keyOf(one));
  };
  const refuseRecalled: LotCheck = async (packages) => {
    const unknown = packages.filter((one) => !checked.has(keyOf(one)));
    if (unknown.length > 0) await check(unknown);
    add(unknown);
  };
  return { add, refuseRecalled };
}

type Package = { lot: string; sku: string };
const keyOf = ({ lot, sku }: Package) => JSON.stringify([lot, sku]);

type Decide = (loaded: LoadedOrder) => Decided | Promise<Decided>;

/** One load of the shelves serves both the suggestion and the fill, which takes no recalled lot. */
async function fill(deps: Deps, walk: Walk): Promise<void> {
  const { account_id, order } = walk.loaded;
  const skus = [...new Set(order.items.map(({ sku }) => sku))];
  const shelves = await loadShelvesToFill(deps.db, account_id, skus, [INVENTED_LOT]);
  const filled = simulatedFill(shelves, walk.loaded);
  await take(deps, walk, technician, (work) => (loaded) => fillCompleted(work, filled)(loaded, async () => shelves));
  walk.lots.add(packagesOf(walk.loaded));
}

async function take(deps: Deps, walk: Walk, worker: Worker, decideFor: (work: Work) => Decide): Promise<void> {
  const work = workOf(walk, worker);
  requireFree(deps, walk.loaded, work);
  const [outcome, by] = await decideFor(work)(walk.loaded);
  add(deps, walk, outcome, byWorker(work, by));
}

function add(deps: Deps, walk: Walk, outcome: Outcome, by: ChangeBy): void {
  const { change, after } = decideSave(deps, walk.loaded, outcome, by);
  walk.unsaved.push(change);
  const loaded = after();
  const now = accountNow(deps.now(), loaded.row.clock_offset_s);
  const today = dateIn(deps.config.TIME_ZONE, now);
  walk.loaded = { ...loaded, rules: { ...loaded.rules, now, today } };
}

async function save(deps: Deps, walk: Walk): Promise<void> {
  await saveOrderChanges(deps.db, walk.unsaved);
  walk.unsaved = [];
}

/** The same as `shipOrder`, which saves the step on its own. */
async function ship(deps: Deps, walk: Walk): Promise<void> {
  const work = workOf(walk, technician);
  const { account_id, order_number } = work;
  const actor = actorOf(technician);
  await requirePacked(deps, walk.loaded, work, walk.lots.refuseRecalled);
  if (walk.loaded.order.payment_status === "pending") {
    await save(deps, walk);
    const settled = await settlePayment(deps, account_id, order_number);
    if (settled.payment.status === "pending") throw new WorkRefusal("payment_pending");
    walk.loaded = await loadChangingOrder(deps, deps.db, account_id, order_number, "elsewhere");
    await requirePacked(deps, walk.loaded, work, walk.lots.refuseRecalled);
  }
  const { loaded } = walk;
  if (decideChange(loaded, SHIP, loaded.rules).held) return add(deps, walk, SHIP, { actor });
  const newest = await newestLabel(deps, loaded);
  const label = newest.fits ? newest.printed! : await makeLabel(deps, loaded, newest.label_id + 1, { drawn: false });
  if (loaded.order.payer === "patient") {
    // From here the transaction holds the order, so that no one can cancel it between the charge and the save.
    if (walk.unsaved.length > 0) await save(deps, walk);
    else await lockOrder(deps.db, account_id, order_number, loaded.revision);
  }
  const captured = await capture(deps, loaded);
  if (typeof captured !== "number") return add(deps, walk, ...declined(loaded, captured));
  add(deps, walk, ...shipped(deps, loaded, label, captured, actor));
  if (newest.printed === null) return;
  await save(deps, walk);
  await endLabel(deps.db, account_id, order_number, newest.fits ? newest.label_id : null);
  if (!newest.fits) await voidLabels(deps, account_id, order_number);
}
