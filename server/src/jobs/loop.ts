import type { Deps } from "../deps.ts";

export type Loop = {
  /** Runs again without waiting for the timer. */
  wake(): void;
  stop(): Promise<void>;
};

/** Runs a use case repeatedly without overlap. Logs a failed run and continues. */
export function startLoop(deps: Deps, name: string, every_ms: number, run: () => Promise<void>): Loop {
  let stopped = false;
  let wake: () => void = () => {};
  const running = (async () => {
    while (!stopped) {
      try {
        await run();
      } catch (error) {
        deps.metrics.countFault("job");
        deps.log.warn({ job: name, fault: (error as Error).message }, "a job failed and will run again");
      }
      if (stopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, every_ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return {
    wake: () => wake(),
    async stop() {
      stopped = true;
      wake();
      await running;
    },
  };
}
