import { setTimeout as delay } from "node:timers/promises";

/** Polls until `look` returns a value, and throws when the deadline has passed. */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  { deadline_ms = 60_000, pause_ms = 10 } = {},
): Promise<NonNullable<Exclude<Value, false>>> {
  const end = Date.now() + deadline_ms;
  for (;;) {
    const value = await look();
    if (value) return value as NonNullable<Exclude<Value, false>>;
    if (Date.now() > end) throw new Error(`timed out after ${deadline_ms} ms, waiting until ${what}`);
    await delay(pause_ms);
  }
}
