import { useEffect } from "react";
import { send } from "./api.ts";
import { csrfToken, lock, useSignedIn } from "./session.ts";

const SIGNS = ["pointerdown", "keydown", "wheel", "pointermove"] as const;
const LOOK_EVERY_MS = 5_000;
/** Tabs share a session: hands on one of them count for all. */
const KEPT_AS = "pestle-seen";

/**
 * Screens that refresh themselves keep a session alive although nobody is there. So the page looks for hands on mouse
 * and keyboard, and without any for the session's idle time it signs out and covers itself.
 */
export function useIdleLock(): void {
  const { idle_seconds } = useSignedIn();
  useEffect(() => {
    let seen_ms = 0;
    const see = () => {
      const now_ms = Date.now();
      if (now_ms - seen_ms < LOOK_EVERY_MS) return;
      seen_ms = now_ms;
      localStorage.setItem(KEPT_AS, String(now_ms));
    };
    see();
    for (const sign of SIGNS) document.addEventListener(sign, see, { passive: true, capture: true });
    const timer = setInterval(() => {
      const last_ms = Math.max(seen_ms, Number(localStorage.getItem(KEPT_AS)));
      if (Date.now() - last_ms < idle_seconds * 1000) return;
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
