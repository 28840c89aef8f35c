import {
  type EventType,
  type ExceptionId,
  type HoldableState,
  type OrderState,
  stageOfState,
  statusOfState,
} from "@pestle/contract";
import type { PrescriptionFacts } from "./medication-request.ts";
import { exceptionAnswer, isPrescribed, medicationRequests, type StoredOrder } from "./order-answer.ts";

/** Where an order stands. */
export type OrderStanding = {
  state: OrderState;
  /** Where it stood before it was held. */
  held_from: HoldableState | null;
  open: readonly ExceptionId[];
  sequence: number;
};

export type HoldChange = OrderStanding & {
  raised: ExceptionId[];
  resolved: ExceptionId[];
  history: {
    actor: string;
    event: "raise_exception" | "resolve" | "cancel";
    from: OrderState;
    to: OrderState;
    exception_id: ExceptionId | null;
  }[];
};

/** Neither filled nor sent: all holds end with it. */
export function cancel(standing: OrderStanding, actor: string): HoldChange {
  return {
    state: "Canceled",
    held_from: null,
    open: [],
    sequence: standing.sequence + 1,
    raised: [],
    resolved: [...standing.open],
    history: [{ actor, event: "cancel", from: standing.state, to: "Canceled", exception_id: null }],
  };
}

/**
 * An order with other exceptions open than before: held when the first is raised, back where it stood when the last is
 * gone. Each exception that comes or goes is a row of history. Null: nothing changes.
 */
export function changeHolds(
  standing: OrderStanding,
  now_open: readonly ExceptionId[],
  actor: string,
): HoldChange | null {
  const resolved = standing.open.filter((id) => !now_open.includes(id));
  const raised = now_open.filter((id) => !standing.open.includes(id));
  if (resolved.length === 0 && raised.length === 0) return null;
  const held_from = standing.state === "On Hold" ? standing.held_from! : (standing.state as HoldableState);
  const open = [...now_open].sort((a, b) => a - b);
  const state: OrderState = open.length > 0 ? "On Hold" : held_from;
  // Raised first: an order that swaps one exception for another is never free in between.
  const history: HoldChange["history"] = [];
  let from = standing.state;
  for (const exception_id of raised) {
    history.push({ actor, event: "raise_exception", from, to: "On Hold", exception_id });
    from = "On Hold";
  }
  for (const [index, exception_id] of resolved.entries()) {
    const to = index === resolved.length - 1 ? state : "On Hold";
    history.push({ actor, event: "resolve", from, to, exception_id });
    from = to;
  }
  const tells = statusOfState(state) !== statusOfState(standing.state) || raised.length > 0;
  return {
    state,
    held_from: state === "On Hold" ? held_from : null,
    open,
    sequence: standing.sequence + (tells ? 1 : 0),
    raised,
    resolved,
    history,
  };
}

/** What a change of holds tells: the status, where it is another, and each new exception. */
export function holdEvents(
  order: StoredOrder,
  prescriptions: readonly PrescriptionFacts[],
  change: HoldChange,
  before: OrderState,
  now: Date,
  event_id: () => string,
): { event_id: string; event_type: EventType; body: Record<string, unknown> }[] {
  const { order_number, patient_id, order_status } = order;
  const event = (event_type: EventType, fields: Record<string, unknown>) => {
    const id = event_id();
    const timestamp = Math.floor(now.getTime() / 1000);
    const common = { event_id: id, event_type, patient_id, order_number, sequence: change.sequence, timestamp };
    return { event_id: id, event_type, body: { ...common, ...fields } };
  };
  const moved = order_status !== statusOfState(before);
  return [
    ...(moved && isPrescribed(order)
      ? [event("RX_UPDATED", { medication_requests: medicationRequests(order, prescriptions) })]
      : []),
    ...(moved ? [event("ORDER_UPDATED", { order_status, previous_order_status: statusOfState(before) })] : []),
    ...change.raised.map((id) => {
      const exception = exceptionAnswer(id, now);
      return event("ORDER_EXCEPTION", { exception, order_actions: exception.order_actions });
    }),
  ];
}

export const standingRow = ({ state, held_from, open, sequence }: OrderStanding) => ({
  order_status: statusOfState(state),
  stage: stageOfState(state),
  held_from,
  exception_ids: [...open],
  sequence,
});
