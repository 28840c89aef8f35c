import { randomUUID } from "node:crypto";
import { compactAsciiJson, type Order, statusOfState } from "@pestle/contract";
import { type OrderChange, saveOrderChange } from "../db/change-order.ts";
import type { Queryable } from "../db/db.ts";
import { changeHolds, holdEvents, type OrderStanding, standingRow } from "../domain/hold-change.ts";
import type { PrescriptionFacts } from "../domain/medication-request.ts";
import { orderAnswer, type StoredOrder } from "../domain/order-answer.ts";

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
    open: OrderStanding["open"];
    columns: Partial<Pick<OrderChange, "address_sealed" | "ship_state" | "payment_status" | "payment_reference">>;
    actor: string;
    now: Date;
  },
): Promise<Order> {
  const { now, actor } = changed;
  const holds = changeHolds(standing, changed.open, actor);
  const after: StoredOrder = {
    ...order,
    ...changed.order,
    order_status: statusOfState((holds ?? standing).state),
    exceptions: changed.open.map((id) => order.exceptions.find((one) => one.id === id) ?? { id, raised_at: now }),
    updated_at: now > order.updated_at ? now : order.updated_at,
  };
  const events = holds === null ? [] : holdEvents(after, prescriptions, holds, standing.state, now, randomUUID);
  await saveOrderChange(db, {
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
  return orderAnswer(after, prescriptions);
}
