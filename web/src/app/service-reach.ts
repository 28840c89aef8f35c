import { useSyncExternalStore } from "react";

/** The first pause before the page looks for the service again, doubled up to the longest. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

let down = false;
let pause_ms = FIRST_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
let onBack: () => void = () => {};
const watchers = new Set<() => void>();

/** True while the service does not answer. */
export const useServiceDown = (): boolean => useSyncExternalStore(watch, () => down);

/** Called once the service answers again. */
export function whenServiceIsBack(run: () => void): void {
  onBack = run;
}

/** A request got no answer, or that of a proxy whose service is gone. */
export function noteSilence(): void {
  if (!down) set(true);
  timer ??= setTimeout(() => void look(), pause_ms);
}

export function noteAnswer(): void {
  if (!down) return;
  clearTimeout(timer);
  timer = undefined;
  pause_ms = FIRST_MS;
  set(false);
  onBack();
}

export const isGateway = (status: number): boolean => status === 502 || status === 504;

/** Looks now, and then again after a growing pause. */
export async function look(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const answer = await fetch("/web/session", { headers: { accept: "application/json" } }).catch(() => null);
  if (answer !== null && !isGateway(answer.status)) return noteAnswer();
  pause_ms = Math.min(LONGEST_MS, pause_ms * 2);
  noteSilence();
}

function set(next: boolean): void {
  down = next;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}
