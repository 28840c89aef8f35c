const SIGNS = ["pointerdown", "keydown", "wheel", "pointermove"] as const;
const NOTED_EVERY_MS = 5_000;
const PRESENT_MS = 60_000;
/** Tabs share a session: hands on one of them count for all. */
const KEPT_AS = "pestle-seen";

let seen_ms = 0;

/** When hands were last seen on mouse or keyboard, in any tab. */
export const handsSeenAt = (): number => Math.max(seen_ms, Number(localStorage.getItem(KEPT_AS)));

/** Whether somebody is there: screens ask by themselves too, and that keeps no session alive. */
export const isPresent = (): boolean => Date.now() - handsSeenAt() < PRESENT_MS;

export function seeHands(): void {
  const now_ms = Date.now();
  if (now_ms - seen_ms < NOTED_EVERY_MS) return;
  seen_ms = now_ms;
  localStorage.setItem(KEPT_AS, String(now_ms));
}

/** Calls for every sign of a hand. */
export function watchHands(onSign: () => void): () => void {
  for (const sign of SIGNS) document.addEventListener(sign, onSign, { passive: true, capture: true });
  return () => {
    for (const sign of SIGNS) document.removeEventListener(sign, onSign, { capture: true });
  };
}
