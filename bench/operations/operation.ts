import type { BareRoute } from "../bare-route.ts";
import { cpuUsedFrom } from "../cpu.ts";
import type { Round } from "../figures.ts";
import type { Load, Measured } from "../load.ts";
import { type Ceiling, type Cost, each, type Stage } from "../stage.ts";

/** One line of the table. A round may also fill the line of something that it causes. */
export type Operation = {
  key: string;
  warmUp(duration_ms: number): Promise<unknown>;
  round(round_ms: number): Promise<Record<string, Partial<Round>>>;
};

export type HttpOperation = {
  key: string;
  name: string;
  /** Adds the rows that a load needs. It does not count as its cost. */
  prepare?(duration_ms: number): Promise<unknown>;
  send(duration_ms: number, more?: Partial<Load>): Promise<Measured>;
  ceiling(duration_ms: number): Promise<Ceiling | null>;
  /** Waits for work that the requests left to the background. It counts as their cost. */
  settle?(): Promise<unknown>;
  /** More lines of the table, measured at half load. */
  atHalfLoad?(half: () => Promise<Measured>): Promise<{ half: Measured; more: Record<string, Partial<Round>> }>;
};

/** Full load for rate and cost, the ceiling right after it, then half load for the latencies. */
export const httpOperation = (stage: Stage, operation: HttpOperation): Operation => ({
  key: operation.key,
  async warmUp(duration_ms) {
    await operation.prepare?.(duration_ms);
    await operation.send(duration_ms);
    await operation.ceiling(duration_ms);
  },
  async round(round_ms) {
    const { name, prepare, send, ceiling, settle, atHalfLoad } = operation;
    await prepare?.(round_ms);
    const { result: full, ...cost } = await stage.costOf(async () => {
      const measured = await send(round_ms);
      await settle?.();
      return measured;
    });
    const top = await ceiling(round_ms);
    await prepare?.(round_ms);
    const atHalf = () => send(round_ms, { due_per_second: full.per_second / 2 });
    const { half, more } = (await atHalfLoad?.(atHalf)) ?? { half: await atHalf(), more: {} };
    return {
      [name]: { ...roundOf(full, cost, top), p50_ms: half.p50_ms, p99_ms: half.p99_ms },
      ...more,
    };
  },
});

/** The figures per operation. */
export function roundOf(
  { count, per_second }: Pick<Measured, "count" | "per_second">,
  cost: Cost,
  ceiling: Ceiling | null,
): Partial<Round> {
  const service_ms = each(cost.service_ms, count);
  const postgres_ms = each(cost.postgres_ms, count);
  const cpu_ms = service_ms === null || postgres_ms === null ? null : service_ms + postgres_ms;
  return {
    service_ms,
    postgres_ms,
    cpu_ms,
    per_second,
    ratio: ceiling === null ? null : per_second / ceiling.per_second,
    cpu_ratio: cpu_ms === null || cpu_ms === 0 || !ceiling?.cpu_ms ? null : ceiling.cpu_ms / cpu_ms,
  };
}

/** The web framework alone with the same answer, in a process that starts when it is needed. */
export function bareCeiling(stage: Stage, route: BareRoute) {
  const start = async () => {
    const child = stage.child("./bare-route.ts");
    return { child, url: String((await child.ask([route]))["url"]) };
  };
  let started: ReturnType<typeof start> | undefined;
  return async (request: string, duration_ms: number): Promise<Ceiling> => {
    started ??= start();
    const { child, url } = await started;
    const used_ms = cpuUsedFrom(child.pid);
    const { count, per_second } = await stage.measure("bare route", { url, requests: [request], duration_ms });
    return { per_second, cpu_ms: each(used_ms(), count) };
  };
}

/** A request in its final bytes. */
export function requestText(
  method: "GET" | "POST",
  path: string,
  headers: Readonly<Record<string, string | number>>,
  body = "",
): string {
  const all = { host: "localhost", ...headers, ...(body === "" ? {} : { "content-length": body.length }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n");
}

export const partnerHeaders = (token: string) => ({ accept: "application/json", authorization: `Bearer ${token}` });
