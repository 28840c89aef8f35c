import type { SessionAnswer, WebSession } from "@pestle/contract";
import { useSyncExternalStore } from "react";

/** The signed-in user, from `GET /web/session`. */
export type Session = WebSession;

/** `locked`: the session ended but the page keeps its state, so the user can sign in again and continue. */
export type SessionState =
  | { phase: "loading" }
  | { phase: "unreachable" }
  | { phase: "out"; half: Session | null; mail: boolean; sso: SessionAnswer["sso"]; passkeys: string | null }
  | { phase: "in"; session: Session; locked: boolean };

let state: SessionState = { phase: "loading" };
const watchers = new Set<() => void>();
let waiting: ((same_person: boolean) => void)[] = [];
/** Tabs share one cookie, so each tab announces session changes to the others. */
const tabs = new BroadcastChannel("pestle-session");

export const useSession = (): SessionState => useSyncExternalStore(watch, sessionState);
const sessionState = (): SessionState => state;

/** Use only inside the app shell, which renders nothing until the user is signed in. */
export function useSignedIn(): Session {
  const now = useSession();
  if (now.phase !== "in") throw new Error("not signed in");
  return now.session;
}

export const csrfToken = (): string | null =>
  state.phase === "in" ? state.session.csrf_token : state.phase === "out" ? (state.half?.csrf_token ?? null) : null;

/** The session that the browser's cookie belongs to now. */
export async function serverSession(): Promise<SessionAnswer> {
  const response = await fetch("/web/session", { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as SessionAnswer;
}

/** Reads the session at startup and when another tab changes it. */
export async function readSession(): Promise<void> {
  try {
    const { session, mail, sso, passkeys } = await serverSession();
    if (session?.complete) signedIn(session, false);
    else if (state.phase === "in") lock();
    else change({ phase: "out", half: session, mail, sso, passkeys });
  } catch {
    if (state.phase !== "in") change({ phase: "unreachable" });
  }
}

/** The sign-in form calls this on success. */
export function signedIn(session: Session, announce = true): void {
  const before = state;
  // The page holds the previous user's data. Reload when a different user signs in.
  if (before.phase === "in" && before.session.person_id !== session.person_id) {
    location.reload();
    return;
  }
  change({ phase: "in", session, locked: false });
  if (announce) tabs.postMessage("changed");
  for (const go of waiting.splice(0)) go(true);
}

export function halfSignedIn(half: Session | null): void {
  if (state.phase === "out") change({ ...state, half });
}

export function signedOut(): void {
  tabs.postMessage("changed");
  // Reload to clear patient data from memory.
  location.reload();
}

export const isLocked = (): boolean => state.phase === "in" && state.locked;

export function lock(): void {
  if (state.phase === "in" && !state.locked) change({ ...state, locked: true });
}

/** Resolves to true once the same user signs in again, or to false if no user was signed in. */
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
