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
  // A disk without room costs lines, and not the service. Unheard, the error would end the process, whose last act is to
  // write what waits: the library tries that again for ever, so the process would neither serve nor end. What waits is
  // written as soon as there is room.
  const { flushSync } = destination;
  destination.on("error", () => {
    destination.flushSync = () => {};
  });
  destination.on("write", () => {
    destination.flushSync = flushSync;
  });
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
