import { writeFileSync } from "node:fs";
import pino, { type Logger } from "pino";
import type { Config } from "./config.ts";

/** Buffers this much unread output, then drops lines, so that memory stays bounded. */
const MOST_WAITING_CHARACTERS = 8 * 1024 * 1024;
const STDOUT = 1;

/** Writes in batches of 4 KiB or once a second: writing every line separately costs more than the web framework. */
export function createLog({ LOG_LEVEL }: Pick<Config, "LOG_LEVEL">): Logger {
  const destination = pino.destination({
    dest: STDOUT,
    sync: false,
    minLength: 4096,
    periodicFlush: 1000,
    maxLength: MOST_WAITING_CHARACTERS,
  });
  // A full disk must cost only log lines. Without this listener the error would end the process. On exit the library
  // would retry the buffered lines forever, so the process would never end.
  const { flushSync } = destination;
  const { _bufs: waiting } = destination as unknown as { _bufs: string[] };
  destination.on("error", () => {});
  destination.flushSync = () => {
    try {
      for (; waiting[0] !== undefined; waiting.shift()) writeFileSync(STDOUT, waiting[0]);
    } catch (error) {
      // The reader is only slow: let the library retry.
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") flushSync.call(destination);
    }
  };
  return pino({ level: LOG_LEVEL, base: null, timestamp: isoTime() }, destination);
}

/** The timestamp in pino's format. Lines within the same millisecond reuse the string. */
function isoTime(): () => string {
  let [last_ms, text] = [0, ""];
  return () => {
    const now_ms = Date.now();
    if (now_ms !== last_ms) [last_ms, text] = [now_ms, `,"time":"${new Date(now_ms).toISOString()}"`];
    return text;
  };
}
