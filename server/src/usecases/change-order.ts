import { compactAsciiJson, type Order, statusOfState } from "@pestle/contract";
import { announce } from "../db/bus.ts";
import { type OrderChange, saveOrderChange } from "../db/change-order.ts";
import type { Queryable } from "../db/db.ts";
import { cancel, changeHolds, holdEvents, type OrderStanding, standingRow } from "../domain/hold-change.ts";
import type { PrescriptionFacts } from "../domain/medication-request.ts";
import { orderAnswer, type StoredOrder } from "../domain/order-answer.ts";
import { exact } from "../domain/resolve-items.ts";
import { randomEventId } from "../random.ts";

/** An order as it was read, and where it stands. */
export type LoadedOrder = {
  order: StoredOrder;
  prescriptions: PrescriptionFacts[];
  standing: OrderStanding;
  revision: number;
};

/**
 * Saves an order with other data, other exceptions open, or both: history and events follow from the difference. A
 * conflict, where somebody changed the order meanwhile, is for the caller to try again.
 */
export async function changeOrder(
  db: Queryable,
  account_id: string,
  { order, prescriptions, standing, revision }: LoadedOrder,
  changed: {
    order: Partial<StoredOrder>;
    /** The exceptions that are open from now on, or that the order is canceled. */
    open: OrderStanding["open"] | "canceled";
    columns: Partial<Pick<OrderChange, "address_sealed" | "ship_state" | "payment_status" | "payment_reference">>;
    actor: string;
    now: Date;
  },
): Promise<Order> {
  const { now, actor } = changed;
  const canceled = changed.open === "canceled";
  const open = canceled ? [] : (changed.open as OrderStanding["open"]);
  const holds = canceled ? cancel(standing, actor) : changeHolds(standing, open, actor);
  const after: StoredOrder = {
    ...order,
    ...changed.order,
    order_status: statusOfState((holds ?? standing).state),
    exceptions: open.map((id) => order.exceptions.find((one) => one.id === id) ?? { id, raised_at: now }),
    updated_at: now > order.updated_at ? now : order.updated_at,
  };
  const told = canceled ? givenBack(order, prescriptions) : prescriptions;
  const events = holds === null ? [] : holdEvents(after, told, holds, standing.state, now, randomEventId);
  const { restocked } = await saveOrderChange(db, {
    account_id,
    order_number: order.order_number,
    revision,
    at: now,
    ...standingRow(holds ?? standing),
    address_sealed: null,
    ship_state: null,
    payment_status: null,
    payment_reference: null,
    ...changed.columns,
    gives_back: canceled,
    raised: holds?.raised ?? [],
    resolved: (holds?.resolved ?? []).map((exception_id) => ({ exception_id, resolved_by: actor, confirmed: null })),
    history: (holds?.history ?? []).map((row) => ({
      ...row,
      from: statusOfState(row.from),
      to: statusOfState(row.to),
    })),
    events: events.map(({ body, ...event }) => ({
      ...event,
      patient_id: order.patient_id,
      body: compactAsciiJson(body),
    })),
  });
  if (restocked.length > 0) await announce(db, { kind: "catalogue", account_id });
  return orderAnswer(after, told);
}

/** The prescriptions without the units of an order that is no more. */
function givenBack(order: StoredOrder, prescriptions: readonly PrescriptionFacts[]): PrescriptionFacts[] {
  return prescriptions.map((prescription) => {
    const units = order.items
      .filter(({ prescription_id }) => prescription_id === prescription.prescription_id)
      .reduce((sum, { quantity, package_size }) => sum + quantity * package_size, 0);
    return { ...prescription, units_ordered: exact(prescription.units_ordered - units) };
  });
}
