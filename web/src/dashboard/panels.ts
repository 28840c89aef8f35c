import { useSyncExternalStore } from "react";

/** What the buttons in the header open. Only one is open at a time. */
export type Panel = "notifications" | "help" | "tour";

let open: Panel | null = null;
const watchers = new Set<() => void>();

export function openPanel(panel: Panel | null): void {
  open = panel;
  for (const watcher of watchers) watcher();
}

export const usePanel = (): Panel | null => useSyncExternalStore(watch, () => open);

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}
