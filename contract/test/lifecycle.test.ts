import { describe, expect, test } from "vitest";
import {
  actions,
  finalStates,
  holdableStates,
  isFinal,
  type OrderState,
  orderStates,
  orderStatuses,
  stageOfState,
  stages,
  statusOfState,
  type Transition,
  transitions,
  transitionsFrom,
} from "../src/index.ts";

const rows: readonly Transition[] = transitions;

const next = (state: OrderState | "new"): OrderState[] =>
  transitionsFrom(state).flatMap(({ to }) => {
    if (to === "unchanged") return [];
    return to === "before the hold" ? [...holdableStates] : [to];
  });

const reachable = (start: OrderState | "new"): Set<OrderState> => {
  const seen = new Set<OrderState>();
  const walk = (state: OrderState | "new"): void => {
    for (const to of next(state).filter((candidate) => !seen.has(candidate))) {
      seen.add(to);
      walk(to);
    }
  };
  walk(start);
  return seen;
};

describe("the life of an order", () => {
  test("every state can be reached from a new order", () => {
    expect([...reachable("new")].sort()).toEqual([...orderStates].sort());
  });

  test("every state that is not final leads to a final one", () => {
    for (const state of orderStates.filter((candidate) => !isFinal(candidate))) {
      expect(
        finalStates.some((final) => reachable(state).has(final)),
        state,
      ).toBe(true);
    }
  });

  test("nothing leaves a final state", () => {
    for (const state of finalStates) {
      expect(transitionsFrom(state).filter(({ to }) => to !== "unchanged")).toEqual([]);
    }
  });

  test("every hold has a way back to the previous stage, and a way to cancel", () => {
    const events = transitionsFrom("On Hold").map(({ event, to }) => `${event} ${to}`);
    expect(events).toContain("resolve before the hold");
    expect(events).toContain("cancel Canceled");
  });

  test("every state that can be held can be canceled, and no state after shipping can", () => {
    const canceled = rows.filter(({ event }) => event === "cancel").flatMap(({ from }) => from);
    expect([...canceled].sort()).toEqual([...holdableStates, "On Hold"].sort());
  });

  test("states are the statuses with their stages, each once", () => {
    expect(new Set(orderStates.map(statusOfState))).toEqual(new Set(orderStatuses));
    expect(orderStates.map(stageOfState).filter((stage) => stage !== null)).toEqual(Object.values(stages).flat());
  });

  test("two rows with the same state and event say when each applies, or differ in who may do it", () => {
    for (const state of ["new", ...orderStates] as const) {
      const seen = new Map<string, Transition[]>();
      for (const row of transitionsFrom(state)) seen.set(row.event, [...(seen.get(row.event) ?? []), row]);
      for (const same of seen.values()) if (same.length > 1) expect(same.every(({ when }) => when)).toBe(true);
    }
  });
});

describe("events of a transition", () => {
  test("a change of order_status sends ORDER_UPDATED, and only that does", () => {
    for (const { event, from, to, sends } of rows) {
      const changes = from.some(
        (state) =>
          to !== "unchanged" &&
          (to === "before the hold" || state === "new" || statusOfState(state) !== statusOfState(to)),
      );
      expect(sends.includes("ORDER_UPDATED"), `${event} ${to}`).toBe(changes);
    }
  });

  test("a raised exception sends ORDER_EXCEPTION, and a parcel update SHIPMENT_UPDATED", () => {
    for (const { event, to, sends } of rows) {
      expect(sends.includes("ORDER_EXCEPTION"), event).toBe(to === "On Hold" && event !== "resolve");
      expect(sends.includes("SHIPMENT_UPDATED"), event).toBe(["ship", "track", "deliver"].includes(event));
    }
  });

  test("a partner may cancel and hold exactly where the transitions allow it", () => {
    const partnerRows = (event: string) => rows.filter((row) => row.event === event && row.by.includes("partner"));
    const statusesOf = (event: string) =>
      new Set(partnerRows(event).flatMap(({ from }) => from.map((state) => statusOfState(state as OrderState))));
    expect(statusesOf("cancel")).toEqual(new Set(actions.cancel.order_statuses));
    expect(statusesOf("raise_exception")).toEqual(new Set(actions.hold.order_statuses));
  });
});
