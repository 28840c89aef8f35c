import type { Demo } from "../server/src/seed/demo.ts";

/** Where the service is; undefined while it is not there. */
export type Site = () => Demo | undefined;

export type Writers = {
  /** Lets everything that was begun come to its answer, and ends. */
  stop(): Promise<void>;
};

/** What keeps the service busy while it is killed, and knows what was acknowledged. */
type Workload = {
  /** Gets what the writers need of a service that was just started; until then it has not recovered. */
  enter(demo: Demo): Promise<void>;
  write(site: Site): Writers;
  /** Makes the coming kill hit a chosen moment; what it returns is called when the kill is done. */
  aim?(kill: number): Promise<() => Promise<void>>;
  /** Looks for what was acknowledged since the last look. */
  check(demo: Demo): Promise<{ checked: number; lost: number }>;
  /** Looks for all of it once more: a later kill must not take what an earlier one left. */
  checkAll(demo: Demo): Promise<{ lost: number; doubled: number }>;
  /** What else was seen, for the report. */
  seen(): Record<string, number>;
};

export type OpenWorkload = (given: { data_dir: string; random: () => number; unexpected: string[] }) => Workload;

/** Runs writers side by side; each is told when to stop. */
export function runWriters(writers: readonly ((isStopping: () => boolean) => Promise<void>)[]): Writers {
  let stopping = false;
  const running = Promise.all(writers.map((write) => write(() => stopping)));
  // Whoever stops them is told of a failure; until then it is nobody's.
  running.catch(() => {});
  return {
    async stop() {
      stopping = true;
      await running;
    },
  };
}
