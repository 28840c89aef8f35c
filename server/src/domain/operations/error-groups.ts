import type { PortalErrorGroup } from "@pestle/contract";
import { errorHint } from "./error-hints.ts";

/** Errors of one kind on one route. */
export type CountedError = {
  status: number;
  code: number | null;
  method: string;
  route: string;
  count: number;
  first_at: Date;
  last_at: Date;
  /** Newest first. */
  request_ids: readonly string[];
};

const MOST_IDS = 5;

/** Groups errors by cause across routes, most frequent first. */
export function errorGroups(counted: readonly CountedError[]): PortalErrorGroup[] {
  const kinds = new Map<string, CountedError[]>();
  for (const row of counted) {
    const kind = `${row.status} ${row.code}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), row]);
  }
  return [...kinds.values()].map(groupOf).sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

function groupOf(rows: readonly CountedError[]): PortalErrorGroup {
  const [{ status, code }] = rows as [CountedError];
  const newest = [...rows].sort((a, b) => b.last_at.getTime() - a.last_at.getTime());
  return {
    ...errorHint(status, code),
    status,
    count: rows.reduce((sum, { count }) => sum + count, 0),
    first_at: new Date(Math.min(...rows.map(({ first_at }) => first_at.getTime()))).toISOString(),
    last_at: newest[0]!.last_at.toISOString(),
    routes: rows.map(({ method, route, count }) => ({ method, route, count })).sort((a, b) => b.count - a.count),
    request_ids: newest.flatMap(({ request_ids }) => request_ids).slice(0, MOST_IDS),
  };
}
