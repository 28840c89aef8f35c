import type { Demo } from "../../server/src/seed/demo-file.ts";

/** Where the service runs, or undefined while it is down. */
export type Site = () => Demo | undefined;

export type Writers = {
  /** Waits for the answers to all pending requests, then ends. */
  stop(): Promise<void>;
};

/** Keeps the service busy during kills and records what it acknowledged. */
type Workload = {
  /** Gets what the writers need from a service that just started. Until then it has not recovered. */
  enter(demo: Demo): Promise<void>;
  write(site: Site): Writers;
  /** Makes the next kill hit a chosen moment. Call the returned function after the kill. */
  aim?(kill: number): Promise<() => Promise<void>>;
  /** Checks what was acknowledged since the last check. */
  check(demo: Demo): Promise<{ checked: number; lost: number }>;
  /** Checks everything again, because a later kill must not lose what survived an earlier one. */
  checkAll(demo: Demo): Promise<{ lost: number; doubled: number }>;
  /** Other observations, for the report. */
  seen(): Record<string, number>;
};

export type OpenWorkload = (given: { data_dir: string; random: () => number; unexpected: string[] }) => Workload;

/** Runs writers concurrently and signals each when to stop. */
export function runWriters(writers: readonly ((isStopping: () => boolean) => Promise<void>)[]): Writers {
  let stopping = false;
  const running = Promise.all(writers.map((write) => write(() => stopping)));
  // `stop` reports a failure. Until then an unhandled rejection would end the process.
  running.catch(() => {});
  return {
    async stop() {
      stopping = true;
      await running;
    },
  };
}
