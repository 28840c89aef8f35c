import type { Deps } from "../../deps.ts";
import { type HomeOf, readHome } from "./read-home.ts";

/** Sends the queue counts to all listeners once per interval, from one shared read. */
export type HomeWatch = {
  /** The listener receives the counts at once, then after every read. Call the returned function to stop. */
  listen(listener: HomeListener): () => void;
  /** Ends all listeners and stops reading. */
  close(): void;
};
export type HomeListener = { tell(home: HomeOf): void; end(): void };

const EVERY_MS = 1_000;

/** Reads only while there are listeners. A failed read is skipped; the next one follows soon. */
export function watchHome(deps: Pick<Deps, "db" | "config" | "now" | "log">, every_ms = EVERY_MS): HomeWatch {
  const listeners = new Set<HomeListener>();
  let timer: NodeJS.Timeout | undefined;
  let reading = false;
  let closed = false;
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
    close() {
      closed = true;
      rest();
      for (const listener of listeners) listener.end();
      listeners.clear();
    },
  };
}
