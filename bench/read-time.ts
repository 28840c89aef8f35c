import { performance } from "node:perf_hooks";
import type { ReadMessage } from "../server/src/domain/intake/incoming-message.ts";

const READS = 20_000;
const WARM_UP_READS = 2_000;

/** Mean time in microseconds that a reader takes for a message, from bytes to our prescription type. */
export function readTime_us(read: (body: Uint8Array) => ReadMessage, text: string): number {
  const body = Buffer.from(text);
  const times = (count: number) => {
    for (let number = 0; number < count; number++)
      if (!read(body).ok) throw new Error("the reader rejects the message");
  };
  times(WARM_UP_READS);
  const begin_ms = performance.now();
  times(READS);
  return ((performance.now() - begin_ms) / READS) * 1000;
}
