/** A deadline costs nothing unless it passes, and a busy machine may be ten times slower than an idle one. */
const DEADLINE_MS = 60_000;
/** For what the product promises within a second, with slack for a busy machine. */
export const SOON_MS = 20_000;

/** Polls until it holds and returns the time that took. Fails when the deadline passes. */
export async function until(
  holds: () => Promise<boolean> | boolean,
  what: string,
  within_ms = DEADLINE_MS,
): Promise<number> {
  const started = performance.now();
  while (!(await holds())) {
    if (performance.now() - started > within_ms) throw new Error(`not within ${within_ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return performance.now() - started;
}
