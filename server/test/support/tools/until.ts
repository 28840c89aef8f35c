/** Asks again until it holds; fails when the deadline passes. The only waiting there is in tests. */
export async function until(holds: () => Promise<boolean> | boolean, what: string, within_ms = 5_000): Promise<number> {
  const started = performance.now();
  while (!(await holds())) {
    if (performance.now() - started > within_ms) throw new Error(`not within ${within_ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return performance.now() - started;
}
