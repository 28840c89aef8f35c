import {
  type EventType,
  type ExceptionId,
  type HoldableState,
  holdableStates,
  type OrderState,
  type Role,
  stageOfState,
  statusOfState,
  type Transition,
  type TransitionEvent,
  toldInOrder,
  transitions,
} from "@pestle/contract";
import type { PrescriptionFacts } from "../intake/medication-request.ts";
import type { MadeEvent } from "../webhooks/made-event.ts";
import type { FillRules } from "./fillability.ts";
import { exceptionAnswer, medicationRequests, type StoredOrder } from "./order-answer.ts";

/** The state of an order. */
export type OrderStanding = {
  state: OrderState;
  /** The state before the hold. */
  held_from: HoldableState | null;
  open: readonly ExceptionId[];
  sequence: number;
};

/** Who moves an order. History shows the first role that is allowed to, and stores the person with it. */
export type Actor = {
  roles: readonly Role[];
  person_id: string | null;
  /** The partner's request. History shows it. */
  request_id?: string;
};
export const partner: Actor = { roles: ["partner"], person_id: null };
/** The partner, by its request if it is known. */
export const partnerBy = (call: { by: { request_id: string } } | undefined): Actor =>
  call === undefined ? partner : { ...partner, request_id: call.by.request_id };
export const system: Actor = { roles: ["system"], person_id: null };
export const carrier: Actor = { roles: ["carrier"], person_id: null };

/** What moves an order: an event of the transition table, or a change of its open exceptions. */
export type Step = (
  | { event: Exclude<TransitionEvent, "create" | "raise_exception" | "resolve"> }
  | {
      open: readonly ExceptionId[];
      /** Exceptions that the actor raises. The checks raised all other new ones. */
      by_hand?: readonly ExceptionId[];
    }
) & {
  /** The held order continues here instead of at its previous stage. */
  returns_to?: HoldableState | undefined;
};

/** The result of one step, with its history rows and events. */
export type Move = OrderStanding & {
  raised: ExceptionId[];
  resolved: ExceptionId[];
  history: HistoryLine[];
  sends: EventType[];
};
type HistoryLine = {
  actor: Role;
  event: TransitionEvent;
  from: OrderState;
  to: OrderState;
  exception_id: ExceptionId | null;
};

/** The transition table does not allow this step for the state or the role. */
export class ImpossibleStep extends Error {
  readonly because: "state" | "role";
  constructor(event: TransitionEvent, because: ImpossibleStep["because"]) {
    super(`${event} is not possible: ${because}`);
    this.because = because;
  }
}

/**
 * Moves an order with the transition table. A step without a row there is impossible. Null: the step changes nothing.
 */
export function apply(standing: OrderStanding, step: Step, actor: Actor): Move | null {
  return "open" in step ? changeHolds(standing, step, actor) : move(standing, step.event, actor, step.returns_to);
}

function move(standing: OrderStanding, event: TransitionEvent, actor: Actor, returns_to?: HoldableState): Move {
  const { row, role } = rowOf(standing.state, event, actor);
  const state = row.to === "unchanged" ? standing.state : (row.to as OrderState);
  const ends = state !== "On Hold" && standing.state === "On Hold";
  return {
    state,
    held_from: state === "On Hold" ? (returns_to ?? standing.held_from) : null,
    open: ends ? [] : [...standing.open],
    sequence: standing.sequence + (row.sends.length > 0 ? 1 : 0),
    raised: [],
    resolved: ends ? [...standing.open] : [],
    history: [{ actor: role, event, from: standing.state, to: state, exception_id: null }],
    sends: [...row.sends],
  };
}

/**
 * Applies a change of open exceptions: the first one holds the order, and when the last one is closed it returns to its
 * previous state. Each raised or closed exception is a history row.
 */
function changeHolds(
  standing: OrderStanding,
  { open: now_open, by_hand = [], returns_to }: Extract<Step, { open: unknown }>,
  actor: Actor,
): Move | null {
  const resolved = standing.open.filter((id) => !now_open.includes(id));
  const raised = now_open.filter((id) => !standing.open.includes(id));
  if (resolved.length === 0 && raised.length === 0) return null;
  if (standing.state !== "On Hold" && !isHoldable(standing.state)) throw new ImpossibleStep("raise_exception", "state");
  const held_from =
    returns_to ?? (standing.state === "On Hold" ? standing.held_from! : (standing.state as HoldableState));
  const open = [...now_open].sort((a, b) => a - b);
  const history: HistoryLine[] = [];
  const sends = new Set<EventType>();
  let from: OrderState = standing.state;
  const write = (event: "raise_exception" | "resolve", to: OrderState, exception_id: ExceptionId) => {
    const who = event === "resolve" || by_hand.includes(exception_id) ? actor : system;
    const freed = from === "On Hold" && to !== "On Hold";
    const { row, role } = rowOf(from, event, who, freed ? "before the hold" : "On Hold");
    history.push({ actor: role, event, from, to, exception_id });
    for (const type of row.sends) sends.add(type);
    from = to;
  };
  // Raises first, so that an order that swaps exceptions is never free in between.
  for (const exception_id of raised) write("raise_exception", "On Hold", exception_id);
  const state: OrderState = open.length > 0 ? "On Hold" : held_from;
  for (const [index, exception_id] of resolved.entries()) {
    write("resolve", index === resolved.length - 1 ? state : "On Hold", exception_id);
  }
  return {
    state,
    held_from: state === "On Hold" ? held_from : null,
    open,
    sequence: standing.sequence + (sends.size > 0 ? 1 : 0),
    raised,
    resolved,
    history,
    sends: [...sends],
  };
}

const isHoldable = (state: OrderState): state is HoldableState =>
  (holdableStates as readonly OrderState[]).includes(state);

function rowOf(state: OrderState, event: TransitionEvent, actor: Actor, to?: Transition["to"]) {
  const row = rowsOf(state, event).find((one) => to === undefined || one.to === to);
  if (row === undefined) throw new ImpossibleStep(event, "state");
  const role = actor.roles.find((one) => row.by.includes(one));
  if (role === undefined) throw new ImpossibleStep(event, "role");
  return { row, role };
}

const rowsOf = (state: OrderState, event: TransitionEvent) =>
  (transitions as readonly Transition[]).filter((row) => row.event === event && row.from.includes(state));

/**
 * Why the table does not allow this event for this actor; null if it does. Used to offer buttons and to reject steps.
 */
export function obstacleOf(state: OrderState, event: TransitionEvent, actor: Actor): ImpossibleStep["because"] | null {
  const rows = rowsOf(state, event);
  if (rows.length === 0) return "state";
  return rows.some((row) => actor.roles.some((one) => row.by.includes(one))) ? null : "role";
}

/** Neither shipped nor canceled. */
export const isOpen = ({ state }: Pick<OrderStanding, "state">): boolean => state === "On Hold" || isHoldable(state);

/** The events of a move, with the order after it. Each new exception has its own event. */
export function orderEvents(
  order: StoredOrder,
  prescriptions: readonly PrescriptionFacts[],
  moved: Pick<Move, "sends" | "raised" | "sequence">,
  previous_order_status: StoredOrder["order_status"] | null,
  rules: FillRules,
  event_id: () => string,
): MadeEvent[] {
  const { order_number, patient_id, order_status } = order;
  const { now } = rules;
  const event = (event_type: EventType, fields: Record<string, unknown>): MadeEvent => {
    const id = event_id();
    const timestamp = Math.floor(now.getTime() / 1000);
    const common = { event_id: id, event_type, patient_id, order_number, sequence: moved.sequence, timestamp };
    return { event_id: id, event_type, body: { ...common, ...fields } };
  };
  const medication_requests = () => medicationRequests(order, prescriptions, rules);
  const told: Partial<Record<EventType, () => MadeEvent[]>> = {
    RX_UPDATED: () => (order.prescribed ? [event("RX_UPDATED", { medication_requests: medication_requests() })] : []),
    SHIPMENT_UPDATED: () => [event("SHIPMENT_UPDATED", { medication_requests: medication_requests() })],
    ORDER_UPDATED: () => [event("ORDER_UPDATED", { order_status, previous_order_status })],
    ORDER_EXCEPTION: () =>
      moved.raised.map((id) => {
        const exception = exceptionAnswer(
          order,
          order.exceptions.find((one) => one.id === id) ?? { id, raised_at: now },
        );
        return event("ORDER_EXCEPTION", { exception, order_actions: exception.order_actions });
      }),
  };
  return toldInOrder.filter((type) => moved.sends.includes(type)).flatMap((type) => told[type]!());
}

export const standingRow = ({ state, held_from, open, sequence }: OrderStanding) => ({
  order_status: statusOfState(state),
  stage: stageOfState(state),
  held_from,
  exception_ids: [...open],
  sequence,
});
