import type { Deps } from "../../deps.ts";
import { type HomeOf, readHome } from "./read-home.ts";

/** Tells whoever listens how the queues stand, whenever that has changed: one reading for all who listen. */
export type HomeWatch = {
  /** Told at once, then whenever it is read anew. What is given back ends it. */
  listen(listener: HomeListener): () => void;
  /** Ends all who listen, and reads no more. */
  close(): void;
};
export type HomeListener = { tell(home: HomeOf): void; end(): void };

const EVERY_MS = 1_000;

/** Nothing is read while nobody listens. A reading that fails is left out: the next one comes. */
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
