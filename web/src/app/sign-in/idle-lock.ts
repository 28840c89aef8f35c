import { useEffect } from "react";
import { send } from "../api.ts";
import { handsSeenAt, seeHands, watchHands } from "../presence.ts";
import { csrfToken, isLocked, lock, useSignedIn } from "./session.ts";

const LOOK_EVERY_MS = 5_000;

/**
 * Signs the user out and hides the page after the session's idle timeout. The server also ends the session; this hides
 * the data already on screen.
 */
export function useIdleLock(): void {
  const { idle_seconds } = useSignedIn();
  useEffect(() => {
    const isIdle = () => Date.now() - handsSeenAt() >= idle_seconds * 1000;
    let ending = false;
    const look = () => {
      if (ending || isLocked() || !isIdle()) return;
      ending = true;
      const token = csrfToken();
      lock();
      void endedBy(token).then(() => {
        ending = false;
      });
    };
    // Loading the page or signing in counts as activity.
    seeHands();
    const stop = watchHands(() => {
      // Check before recording: the event that wakes a sleeping computer comes after the timeout.
      look();
      seeHands();
    });
    const timer = setInterval(look, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [idle_seconds]);
}

/** Retries until the server answers. Until then the session is still active. */
async function endedBy(token: string | null): Promise<void> {
  while (isLocked() && token !== null) {
    const headers = { accept: "application/json", "x-csrf-token": token };
    const answer = await send("/session", { method: "DELETE", headers }).catch(() => null);
    if (answer !== null && answer.status < 500) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
