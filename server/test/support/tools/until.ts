/** A deadline costs nothing unless it passes, and a busy machine may be ten times slower than an idle one. */
const DEADLINE_MS = 60_000;
/** For what the product promises within a second, with slack for a busy machine. */
export const SOON_MS = 20_000;
const LEAST_PAUSE_MS = 10;
/** Pauses this many times as long as a look takes, because the service that is looked at needs the processor too. */
const PAUSE_PER_LOOK = 3;

/** Polls until it holds and returns the time that took. Fails when the deadline passes. */
export async function until(
  holds: () => Promise<boolean> | boolean,
  what: string,
  within_ms = DEADLINE_MS,
): Promise<number> {
  const started = performance.now();
  for (;;) {
    const looked = performance.now();
    const held = await holds();
    const now = performance.now();
    if (held) return now - started;
    if (now - started > within_ms) throw new Error(`not within ${within_ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(LEAST_PAUSE_MS, (now - looked) * PAUSE_PER_LOOK)));
  }
}
