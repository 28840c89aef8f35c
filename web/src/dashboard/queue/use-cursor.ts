import type { DashboardOrderRow } from "@pestle/contract";
import { useState } from "react";
import { orderPath } from "../order-link.ts";

type Cursor = { at: number; key: string | null };
const NEAR = 300;
/** Where somebody was in each table, for when they come back. */
const kept = new Map<string, Cursor>();

/**
 * The row that keys act on. It stays with its order when rows above it come or go: a key never hits another order than
 * the one that was marked.
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
