import { useSyncExternalStore } from "react";

/** How long a user can undo a step before the browser sends it. */
const UNDO_MS = 10_000;

/**
 * A step that the user took and the browser has not sent yet. `send` resolves to false if the server refused it, and
 * shows the reason itself.
 */
export type HeldStep = {
  label: string;
  until_ms: number;
  send: () => Promise<boolean>;
  /** The page that the step was taken on. */
  page: string;
};

let kept = false;
let held: HeldStep | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const watchers = new Set<() => void>();

export const useHeldStep = (): HeldStep | null => useSyncExternalStore(watch, () => held);

/** Only a step that has not been sent can be undone: the events of a saved one are already on their way to the partner. */
export function holdStep(label: string, page: string, send: HeldStep["send"]): void {
  void sendHeldStep();
  timer = setTimeout(() => void sendHeldStep(), UNDO_MS);
  change({ label, until_ms: Date.now() + UNDO_MS, send, page });
}

/** The next page opens by itself, so leaving this one does not send the step. The user can still undo it there. */
export function keepHeldStep(): void {
  kept = held !== null;
}

/** The user leaves the page. */
export function leaveWithHeldStep(): void {
  if (!kept) void sendHeldStep();
  kept = false;
}

/** The user took the step back. */
export function dropHeldStep(): void {
  clearTimeout(timer);
  change(null);
}

/** The time is over, or the user moves on. False if the server refused the step. */
export async function sendHeldStep(): Promise<boolean> {
  const step = held;
  if (step === null) return true;
  dropHeldStep();
  return step.send();
}

// The user closes the tab or opens another page.
addEventListener("pagehide", () => void sendHeldStep());

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function change(next: HeldStep | null): void {
  held = next;
  for (const watcher of watchers) watcher();
}
