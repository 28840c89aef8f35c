import type { Deps } from "../../deps.ts";
import { type FiguresOf, readFigures } from "./figures/read-figures.ts";
import { type HomeOf, readHome } from "./read-home.ts";

/** Sends the queue counts to all listeners once per interval, from one shared read. */
export type HomeWatch = {
  /** The listener receives the counts at once, then after every read. Call the returned function to stop. */
  listen(listener: HomeListener): () => void;
  /** The figures of the charts, which are a few seconds old at most. */
  figures(): Promise<FiguresOf>;
  /** Ends all listeners and stops reading. */
  close(): void;
};
export type HomeListener = { tell(home: HomeOf): void; end(): void };

const EVERY_MS = 1_000;
/** Figures cost more than counts, and no chart changes visibly in this time. */
const FIGURES_KEPT_MS = 10_000;

/** Reads only while there are listeners. A failed read is skipped; the next one follows soon. */
export function watchHome(deps: Pick<Deps, "db" | "config" | "now" | "log">, every_ms = EVERY_MS): HomeWatch {
  const listeners = new Set<HomeListener>();
  let timer: NodeJS.Timeout | undefined;
  let reading = false;
  let closed = false;
  let kept: { until_ms: number; figures: Promise<FiguresOf> } | undefined;
  const read = async () => {
    if (reading || closed) return;
    reading = true;
    try {
      const home = await readHome(deps);
      for (const listener of listeners) listener.tell(home);
    } catch (error) {
      deps.log.warn({ fault: (error as Error).message }, "the queues could not be read");
    } finally {
      reading = false;
    }
  };
  const plan = () => {
    timer ??= setInterval(() => void read(), every_ms);
  };
  const rest = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    listen(listener) {
      if (closed) {
        listener.end();
        return () => {};
      }
      listeners.add(listener);
      plan();
      void read();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) rest();
      };
    },
    figures() {
      const now_ms = deps.now().getTime();
      if (kept === undefined || kept.until_ms <= now_ms) {
        const figures = readFigures(deps);
        kept = { until_ms: now_ms + FIGURES_KEPT_MS, figures };
        // The next viewer tries again.
        figures.catch(() => {
          if (kept?.figures === figures) kept = undefined;
        });
      }
      return kept.figures;
    },
    close() {
      closed = true;
      rest();
      for (const listener of listeners) listener.end();
      listeners.clear();
    },
  };
}
