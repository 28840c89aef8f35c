import { useEffect } from "react";
import { send } from "./api.ts";
import { csrfToken, lock, useSignedIn } from "./session.ts";

const SIGNS = ["pointerdown", "keydown", "wheel", "pointermove"] as const;
const LOOK_EVERY_MS = 5_000;

/**
 * Screens that refresh themselves keep a session alive although nobody is there. So the page looks for hands on mouse
 * and keyboard, and without any for the session's idle time it signs out and covers itself.
 */
export function useIdleLock(): void {
  const { idle_seconds } = useSignedIn();
  useEffect(() => {
    let seen_ms = Date.now();
    const see = () => {
      seen_ms = Date.now();
    };
    for (const sign of SIGNS) document.addEventListener(sign, see, { passive: true, capture: true });
    const timer = setInterval(() => {
      if (Date.now() - seen_ms < idle_seconds * 1000) return;
      const token = csrfToken();
      lock();
      if (token !== null)
        void send("/session", { method: "DELETE", headers: { "x-csrf-token": token } }).catch(() => {});
      see();
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      for (const sign of SIGNS) document.removeEventListener(sign, see, { capture: true });
    };
  }, [idle_seconds]);
}
