import type { Deps } from "../deps.ts";
import { faultName } from "../domain/operations/span.ts";
import { traced } from "../tracing/traced-deps.ts";

export type Loop = {
  /** Runs again without waiting for the timer. */
  wake(): void;
  stop(): Promise<void>;
};

/**
 * Runs a use case repeatedly without overlap. Logs a failed run and continues. The log lines of the use case name the job, and if a
 * run changes something, its trace is recorded.
 */
export function startLoop<Own extends Deps>(
  deps: Own,
  name: string,
  every_ms: number,
  run: (own: Own) => Promise<void>,
): Loop {
  const own = { ...deps, log: deps.log.child({ job: name }) };
  let stopped = false;
  let wake: () => void = () => {};
  const running = (async () => {
    while (!stopped) {
      const span = own.tracer?.begin(`job ${name}`, "internal", { quiet: true, attributes: { "pestle.job": name } });
      try {
        await run(traced(own, span));
        span?.end();
      } catch (error) {
        span?.end(faultName(error));
        own.metrics.countFault("job");
        own.log.warn({ fault: (error as Error).message, trace_id: span?.trace_id }, "a job failed and will run again");
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
