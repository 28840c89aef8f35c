import type { DashboardOrderRow } from "@pestle/contract";
import { useState } from "react";
import { orderPath } from "../order-link.ts";

type Cursor = { at: number; key: string | null };
const NEAR = 300;
/** Last cursor position per table. */
const kept = new Map<string, Cursor>();

/**
 * The row that keyboard actions apply to. It follows its order when rows above are added or removed, so a key press
 * never hits the wrong order.
 */
export function useCursor(place: string, rows: readonly DashboardOrderRow[]): [number, (at: number) => void] {
  const [, redraw] = useState(0);
  const { at, key } = kept.get(place) ?? { at: 0, key: null };
  const found = foundAt(rows, at, key);
  const set = (next: number) => {
    kept.set(place, { at: next, key: rows[next] ? orderPath(rows[next]) : null });
    redraw((count) => count + 1);
  };
  return [found, set];
}

function foundAt(rows: readonly DashboardOrderRow[], at: number, key: string | null): number {
  const is = (index: number) => rows[index] !== undefined && orderPath(rows[index]) === key;
  if (key !== null && !is(at)) {
    for (let step = 1; step <= NEAR; step++) {
      if (is(at - step)) return at - step;
      if (is(at + step)) return at + step;
    }
  }
  return Math.max(0, Math.min(at, rows.length - 1));
}
