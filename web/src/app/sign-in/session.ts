import type { SessionAnswer, WebSession } from "@pestle/contract";
import { useSyncExternalStore } from "react";

export type Session = WebSession;

/**
 * `locked`: somebody was signed in, the page is still as they left it, and signing in again goes on from there.
 */
export type SessionState =
  | { phase: "loading" }
  | { phase: "unreachable" }
  | { phase: "out"; half: Session | null; second_factor: SessionAnswer["second_factor"] }
  | { phase: "in"; session: Session; locked: boolean };

let state: SessionState = { phase: "loading" };
const watchers = new Set<() => void>();
let waiting: ((same_person: boolean) => void)[] = [];
/** Tabs share one cookie: what one of them changes, the others must know. */
const tabs = new BroadcastChannel("pestle-session");

export const useSession = (): SessionState => useSyncExternalStore(watch, sessionState);
const sessionState = (): SessionState => state;

/** Only below the frame of the application, which shows nothing to whoever is not signed in. */
export function useSignedIn(): Session {
  const now = useSession();
  if (now.phase !== "in") throw new Error("nobody is signed in");
  return now.session;
}

export const csrfToken = (): string | null =>
  state.phase === "in" ? state.session.csrf_token : state.phase === "out" ? (state.half?.csrf_token ?? null) : null;

/** Whose session the browser has by now. */
export async function serverSession(): Promise<SessionAnswer> {
  const response = await fetch("/web/session", { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as SessionAnswer;
}

/** Reads who is signed in, at the start and whenever another tab changed it. */
export async function readSession(): Promise<void> {
  try {
    const { session, second_factor } = await serverSession();
    if (session?.complete) signedIn(session, false);
    else if (state.phase === "in") lock();
    else change({ phase: "out", half: session, second_factor });
  } catch {
    if (state.phase !== "in") change({ phase: "unreachable" });
  }
}

/** What the sign-in form calls once it is complete. */
export function signedIn(session: Session, told = true): void {
  const before = state;
  // What is on the page belongs to whoever was here: another person starts afresh.
  if (before.phase === "in" && before.session.person_id !== session.person_id) {
    location.reload();
    return;
  }
  change({ phase: "in", session, locked: false });
  if (told) tabs.postMessage("changed");
  for (const go of waiting.splice(0)) go(true);
}

export function halfSignedIn(half: Session | null): void {
  if (state.phase === "out") change({ ...state, half });
}

export function signedOut(): void {
  tabs.postMessage("changed");
  // Nothing of what was seen stays in memory.
  location.reload();
}

export const isLocked = (): boolean => state.phase === "in" && state.locked;

export function lock(): void {
  if (state.phase === "in" && !state.locked) change({ ...state, locked: true });
}

/** Resolves once the same person is signed in again; false where there was nobody to begin with. */
export function signedInAgain(signal?: AbortSignal): Promise<boolean> {
  if (state.phase !== "in") return Promise.resolve(false);
  lock();
  return new Promise((resolve, reject) => {
    waiting.push(resolve);
    signal?.addEventListener("abort", () => {
      waiting = waiting.filter((one) => one !== resolve);
      reject(signal.reason);
    });
  });
}

tabs.onmessage = () => void readSession();

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function change(next: SessionState): void {
  state = next;
  for (const watcher of watchers) watcher();
}
