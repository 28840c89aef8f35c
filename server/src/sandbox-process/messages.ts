import type { Config } from "../config.ts";

/** From the main process to the sandbox process, over their private channel. The first one is `begin`. */
export type ToSandbox =
  | { kind: "begin"; config: Config; demo: boolean; process_id: string; socket_path: string; base_url: string }
  /** The main process listens. */
  | { kind: "opened"; base_url: string }
  /** The main process wrote events that may be due. */
  | { kind: "wake" }
  /** The process will stop: each answer from now on is the last one of its connection. */
  | { kind: "leave" }
  /** Accept no new token requests and start no new work. Requests that the main process forwards still get answers. */
  | { kind: "drain"; grace_ms: number }
  | { kind: "stop" };

export type FromSandbox =
  /** It works. The address and the port are those of the token server, also if another process has it. */
  | { kind: "ready"; sandbox_auth_url: string; port: number }
  /** Its event loop turns. It says so every `ALIVE_EVERY_MS` once it is ready. */
  | { kind: "alive" }
  /** It could not start. `code` and `port` are those of a system error. */
  | { kind: "failed"; message: string; code?: string | undefined; port?: number | undefined };

export const ALIVE_EVERY_MS = 5_000;
/** So many intervals in a row without a word, and the main process kills it. Its priority is low, so it may be slow. */
export const MOST_SILENT_INTERVALS = 6;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** How long to wait before the next start, after so many short lives in a row. */
export const pauseBeforeStart = (short_lives: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(short_lives, 20));
