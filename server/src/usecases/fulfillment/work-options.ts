import { type DashboardOrder, type ExceptionId, exceptionIds, type WorkEvent, workEvents } from "@pestle/contract";
import { isOpen, obstacleOf } from "../../domain/orders/order.ts";
import type { LoadedOrder } from "../orders/load-order.ts";
import { mayTakeOver } from "./claim-order.ts";
import { actorOf, roleRefusal, type Worker, whyNotResolved } from "./steps.ts";
import { type WorkRefusalKey, workRefusals } from "./work-refusal.ts";

export type WorkOptions = Pick<DashboardOrder, "can" | "cannot" | "can_raise"> & {
  /** For each open exception: why this person may not resolve it; null if they may. */
  cannot_resolve: ReadonlyMap<ExceptionId, WorkRefusalKey | null>;
};

/**
 * What a person may do with an order now: the transition table's rows for its state and their role, minus steps that
 * would be refused. `printed`: the label is printed and fits. A step that the state allows but another condition blocks is listed with the reason.
 */
export function workOptions(
  loaded: LoadedOrder,
  by: Worker,
  now: Date,
  printed: boolean,
  no_label: WorkRefusalKey | null = null,
): WorkOptions {
  const cannot_resolve = new Map(loaded.standing.open.map((id) => [id, whyNotResolved(loaded, id, by)]));
  const facts = { loaded, by, claim: claimOf(loaded, by, now), cannot_resolve, printed, no_label };
  const judged = workEvents.map((event) => ({ event, key: judge(event, facts) }));
  const can = judged.filter(({ key }) => key === null).map(({ event }) => event);
  return {
    can,
    cannot: judged.flatMap(({ event, key }) =>
      key === null || key === "not_now" ? [] : [{ event, key, message: workRefusals[key] }],
    ),
    can_raise: can.includes("raise_exception") ? exceptionIds.filter((id) => !loaded.standing.open.includes(id)) : [],
    cannot_resolve,
  };
}

type Facts = {
  loaded: LoadedOrder;
  by: Worker;
  claim: "none" | "mine" | "others";
  cannot_resolve: WorkOptions["cannot_resolve"];
  printed: boolean;
  /** Why the order gets no label. */
  no_label: WorkRefusalKey | null;
};

/** The screen hides `not_now` steps without giving a reason. */
function judge(event: WorkEvent, facts: Facts): WorkRefusalKey | null {
  const { loaded, by, claim } = facts;
  if (event === "note") return null;
  if (event === "release") return claim === "mine" ? null : "not_now";
  if (event === "claim" || event === "assign") {
    if (!isOpen(loaded.standing) || (event === "claim" && claim === "mine")) return "not_now";
    return claim === "others" && !mayTakeOver(by.role) ? "claimed" : null;
  }
  // The roles that may hand the parcel over may print its label.
  const obstacle = obstacleOf(loaded.standing.state, event === "print" ? "ship" : event, actorOf(by));
  if (obstacle !== null) return obstacle === "state" ? "not_now" : roleRefusal(by);
  if (claim === "others") return "claimed";
  return OBSTACLES[event]?.(facts) ?? null;
}

/** Conditions beyond the transition table. */
const OBSTACLES: Partial<Record<WorkEvent, (facts: Facts) => WorkRefusalKey | null>> = {
  verify_product: ({ loaded, by }) => (loaded.row.filled_by === by.person_id ? "same_person" : null),
  print: ({ loaded, printed, no_label }) => (loaded.order.address === null ? "no_address" : printed ? null : no_label),
  ship: ({ loaded, printed, no_label }) =>
    loaded.order.address === null ? "no_address" : printed ? null : (no_label ?? "not_printed"),
  refund: ({ loaded: { order } }) => (order.captured_cents > order.refunded_cents ? null : "nothing_to_refund"),
  resolve: ({ cannot_resolve }) => {
    const keys = [...cannot_resolve.values()];
    return keys.includes(null) ? null : (keys[0] ?? "not_now");
  },
};

function claimOf({ row }: LoadedOrder, { person_id }: Worker, now: Date): Facts["claim"] {
  if (row.claimed_by === null || row.claimed_until! <= now) return "none";
  return row.claimed_by === person_id ? "mine" : "others";
}
