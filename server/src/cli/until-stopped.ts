const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Work that goes on until Ctrl-C or its own end. To be stopped is how it is meant to end, and no failure. */
export async function untilStopped(work: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const end = () => stop.abort();
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    await work(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}
