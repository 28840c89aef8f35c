import { useSyncExternalStore } from "react";

/** Requests that wait until the user has confirmed their identity. */
let waiting: ((confirmed: boolean) => void)[] = [];
const watchers = new Set<() => void>();

/** Resolves to true once the user has confirmed, or to false if they canceled. */
export function confirmedIdentity(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, resolve];
    tell();
  });
}

/** The dialog calls this when it closes. */
export function endStepUp(confirmed: boolean): void {
  const done = waiting;
  waiting = [];
  for (const go of done) go(confirmed);
  tell();
}

export const useStepUp = (): boolean => useSyncExternalStore(watch, isWaiting);
const isWaiting = () => waiting.length > 0;

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function tell(): void {
  for (const watcher of watchers) watcher();
}
