const SIGNS = ["pointerdown", "keydown", "wheel", "pointermove"] as const;
const NOTED_EVERY_MS = 5_000;
const PRESENT_MS = 60_000;
/** Tabs share a session, so activity in one tab counts for all of them. */
const KEPT_AS = "pestle-seen";

let seen_ms = 0;

/** Time of the last mouse or keyboard activity in any tab. */
export const handsSeenAt = (): number => Math.max(seen_ms, Number(localStorage.getItem(KEPT_AS)));

/** Whether the user was active recently. Background polling must not keep a session alive. */
export const isPresent = (): boolean => Date.now() - handsSeenAt() < PRESENT_MS;

export function seeHands(): void {
  const now_ms = Date.now();
  if (now_ms - seen_ms < NOTED_EVERY_MS) return;
  seen_ms = now_ms;
  localStorage.setItem(KEPT_AS, String(now_ms));
}

/** Calls `onSign` on every mouse or keyboard event. */
export function watchHands(onSign: () => void): () => void {
  for (const sign of SIGNS) document.addEventListener(sign, onSign, { passive: true, capture: true });
  return () => {
    for (const sign of SIGNS) document.removeEventListener(sign, onSign, { capture: true });
  };
}
