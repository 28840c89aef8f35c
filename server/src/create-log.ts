import { writeFileSync } from "node:fs";
import pino, { type Logger } from "pino";
import type { Config } from "./config.ts";

/** Lines that nobody takes wait up to here; what comes then is dropped, so that memory stays bounded. */
const MOST_WAITING_CHARACTERS = 8 * 1024 * 1024;
const STDOUT = 1;

/** Lines leave in batches of 4 KiB or once a second: writing each at once costs more than the web framework. */
export function createLog({ LOG_LEVEL }: Pick<Config, "LOG_LEVEL">): Logger {
  const destination = pino.destination({
    dest: STDOUT,
    sync: false,
    minLength: 4096,
    periodicFlush: 1000,
    maxLength: MOST_WAITING_CHARACTERS,
  });
  // A disk without room costs lines, and not the service: unheard, the error would end the process. And as its last act
  // the process writes what waits, which the library tries for ever: then it would neither serve nor end.
  const { flushSync } = destination;
  const { _bufs: waiting } = destination as unknown as { _bufs: string[] };
  destination.on("error", () => {});
  destination.flushSync = () => {
    try {
      for (; waiting[0] !== undefined; waiting.shift()) writeFileSync(STDOUT, waiting[0]);
    } catch (error) {
      // A reader that is slow gets them all the same.
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") flushSync.call(destination);
    }
  };
  return pino({ level: LOG_LEVEL, base: null, timestamp: isoTime() }, destination);
}

/** The time of a line as pino writes it; lines of one millisecond share their text. */
function isoTime(): () => string {
  let [last_ms, text] = [0, ""];
  return () => {
    const now_ms = Date.now();
    if (now_ms !== last_ms) [last_ms, text] = [now_ms, `,"time":"${new Date(now_ms).toISOString()}"`];
    return text;
  };
}
