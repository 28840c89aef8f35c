import { holdableStates, type OrderState, type Transition, transitions } from "@pestle/contract";

export type Arrow = { from: OrderState | "new"; to: OrderState; events: string[] };

/** One arrow for each pair of states, with its events. Arrows from a state to itself add no information and are omitted. */
export function lifecycleArrows(): Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const { event, from, to } of transitions as readonly Transition[]) {
    for (const start of from) {
      const ends = to === "before the hold" ? holdableStates : to === "unchanged" ? [] : [to];
      for (const end of ends.filter((state) => state !== start)) {
        const known = arrows.get(`${start}>${end}`);
        if (known === undefined) arrows.set(`${start}>${end}`, { from: start, to: end, events: [event] });
        else known.events.push(event);
      }
    }
  }
  return [...arrows.values()];
}
