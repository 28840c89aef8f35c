import { useEffect } from "react";
import { send } from "../api.ts";
import { handsSeenAt, seeHands, watchHands } from "../presence.ts";
import { csrfToken, isLocked, lock, useSignedIn } from "./session.ts";

const LOOK_EVERY_MS = 5_000;

/**
 * Without hands on mouse and keyboard for the session's idle time, the page signs out and covers itself. The server ends
 * the session by itself too; this covers what is already shown.
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
    // Whoever has just loaded the page or signed in is there.
    seeHands();
    const stop = watchHands(() => {
      // A machine that slept wakes up by a hand, and that one comes too late.
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

/** Asks until there is an answer: what was not reached is still signed in. */
async function endedBy(token: string | null): Promise<void> {
  while (isLocked() && token !== null) {
    const headers = { accept: "application/json", "x-csrf-token": token };
    const answer = await send("/session", { method: "DELETE", headers }).catch(() => null);
    if (answer !== null && answer.status < 500) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
