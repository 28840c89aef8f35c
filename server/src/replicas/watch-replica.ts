import { performance } from "node:perf_hooks";
import type { ReplicaPools } from "../database.ts";
import type { Primary } from "../db/bus.ts";
import { type Attempt, isReplicaFault, loadReplicaView, type ReplicaView } from "../db/replica.ts";

/** One replica, and how far it is. */
export type Replica = Pick<ReplicaPools, "name" | "production" | "sandbox"> & {
  /** Seconds that it is behind the primary at most; undefined if it does not answer or belongs to another primary. */
  lag_s(primary: Primary | undefined): number | undefined;
  /** Whether it shows everything up to this position of the primary, or does before the time ends. */
  reaches(position: number, until_ms: number): boolean | Promise<boolean>;
  /** Runs a statement here. If the replica fails or stops answering, runs the other function. */
  attempt: Attempt;
  close(): Promise<void>;
};

/** A process that heard nothing for this long uses no replica, because it may not know who is ahead. */
export const KNOWN_AFTER_MS = 200;
/** The clock of the primary was set back if a mark is from further ahead than this. */
const SET_BACK_MS = 1_000;
const LOOK_EVERY_MS = 250;
/** How often, while a request waits for it. */
const LOOK_CLOSELY_EVERY_MS = 4;
/** Without an answer for this long, requests that wait for one go on at the primary. */
const SILENT_AFTER_MS = 1_000;

export function watchReplica(
  { name, production, sandbox, watch }: ReplicaPools,
  report: { onLook(): void; onFault(error: Error): void },
): Replica {
  let view: ReplicaView | undefined;
  let closed = false;
  let wake = () => {};
  const waiting = new Set<{ position: number; end(reached: boolean): void }>();
  /** Statements under way. */
  const open = new Set<() => void>();

  const lose = (error: Error) => {
    if (view !== undefined) report.onFault(error);
    view = undefined;
    for (const giveUp of open) giveUp();
  };
  const look = async () => {
    const silence = setTimeout(() => lose(new Error(`the replica ${name} does not answer`)), SILENT_AFTER_MS);
    try {
      view = await loadReplicaView(watch);
    } catch (error) {
      lose(error as Error);
    } finally {
      clearTimeout(silence);
    }
    if (view !== undefined) for (const one of waiting) if (view.position >= one.position) one.end(true);
    report.onLook();
  };
  const looking = (async () => {
    while (!closed) {
      await look();
      // An unreachable replica is not asked more often for a waiting request.
      const pause_ms = waiting.size > 0 && view !== undefined ? LOOK_CLOSELY_EVERY_MS : LOOK_EVERY_MS;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause_ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();

  return {
    name,
    production,
    sandbox,
    lag_s(primary) {
      if (view === undefined || primary === undefined) return undefined;
      // Marks of another server prove nothing, and neither do those from before every process knew that this one listens.
      if (view.server_ms !== primary.server_ms || view.marked_ms < primary.since_ms + KNOWN_AFTER_MS) return undefined;
      if (view.marked_ms > primary.now_ms + SET_BACK_MS) return undefined;
      return Math.max(0, primary.now_ms - view.marked_ms) / 1000;
    },
    reaches(position, until_ms) {
      if (view !== undefined && view.position >= position) return true;
      const rest_ms = until_ms - performance.now();
      if (rest_ms <= 0) return false;
      return new Promise((resolve) => {
        const timer = setTimeout(() => one.end(false), rest_ms);
        const one = {
          position,
          end(reached: boolean) {
            clearTimeout(timer);
            waiting.delete(one);
            resolve(reached);
          },
        };
        waiting.add(one);
        if (view !== undefined) wake();
      });
    },
    attempt: (read, otherwise) =>
      new Promise((resolve, reject) => {
        const instead = () => {
          if (open.delete(instead)) otherwise().then(resolve, reject);
        };
        open.add(instead);
        read().then(
          (result) => {
            if (open.delete(instead)) resolve(result);
          },
          (error) => {
            if (isReplicaFault(error)) instead();
            else if (open.delete(instead)) reject(error);
          },
        );
      }),
    async close() {
      closed = true;
      wake();
      await looking;
      for (const one of waiting) one.end(false);
    },
  };
}
